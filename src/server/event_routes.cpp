// A run's events as Server-Sent Events: each result as it arrives, the progress, the status. A
// client whose connection broke continues after its last result.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <tl/expected.hpp>

#include "app/runs/history.h"
#include "base/json.h"
#include "base/text.h"
#include "server/caller.h"
#include "server/guarded.h"
#include "server/handlers.h"
#include "wire/run.h"

namespace vibe::server {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kEventPause{50}, kHeartbeat{15'000};
constexpr std::chrono::seconds kRecheck{
    1};  // checks the key this often, while there is something to send
constexpr std::size_t kMostAtOnce = 64;  // results to read at a time

std::string event(std::string_view name, std::string_view data,
                  std::optional<std::int64_t> id = {}) {
  return fmt::format("{}event: {}\ndata: {}\n\n", id ? fmt::format("id: {}\n", *id) : "", name,
                     data);
}

// Everything that happened since the last part. Owned by the answer; the waker only knows the
// reply.
class RunEvents : public Stream {
 public:
  // Samples whose results the client already has count as done.
  RunEvents(const Call& call, std::string run, std::int64_t after,
            const std::vector<store::Outcome>& had)
      : service_(call.service),
        key_(key_of(call.request)),
        organisation_(call.organisation()),
        run_(std::move(run)),
        last_(after) {
    for (const auto& outcome : had) count(outcome.sample, outcome.passed);
  }

  void beat() { is_beat_due_ = true; }

  std::optional<std::string> next() override {
    if (is_ended_) return std::nullopt;
    std::string out = is_begun_ ? "" : "retry: 1000\n\n";
    is_begun_ = true;
    // If this fails, the client reconnects and asks again.
    bool is_told = false;
    guarded(service_.log, {}, [&] { is_told = is_allowed(out) && tell(out); });
    if (!is_told || service_.is_stopping) is_ended_ = true;
    if (out.empty() && is_beat_due_ && !is_ended_) out = ": still here\n\n";
    if (!out.empty()) is_beat_due_ = false;
    if (out.empty() && is_ended_) return std::nullopt;
    return out;
  }
  bool is_live() const override { return true; }

 private:
  // False if the key is no longer valid, or that cannot be checked. Each heartbeat checks it.
  bool is_allowed(std::string& out) {
    const auto now = Clock::now();
    if (now - checked_at_ < kRecheck) return true;
    checked_at_ = now;
    const auto caller = find_caller(service_, key_);
    if (caller && !*caller) out += fmt::format(": {}\n\n", kRefusedKey);
    return caller && *caller;
  }

  bool tell(std::string& out) {
    auto local = service_.tenants.local(organisation_);
    return local && add_news(*(*local)->store, out);
  }

  // False if the store could not be read.
  bool add_news(store::Store& store, std::string& out) {
    for (;;) {
      // First, so that a run is finished only after all its results were sent.
      const auto progress = store.feed().progress(run_);
      if (!progress || !*progress || !add_results(store, (*progress)->last_arrival, out))
        return false;
      const bool is_behind = (*progress)->last_arrival > last_;
      const auto status = (*progress)->status;
      if (!out.empty() || status != status_) add_progress((*progress)->planned, out);
      if (is_behind || (status == status_ && !score::is_finished(status))) return true;
      const auto run = store.archive().runs().find(run_);
      if (!run || !*run) return false;
      if ((*run)->status != status) continue;  // it continued meanwhile, and may have new results
      add_status(**run, out);
      return true;
    }
  }

  // As many as fit into one part.
  bool add_results(store::Store& store, std::int64_t until, std::string& out) {
    while (until > last_ && out.size() < kMostBytes) {
      const auto arrivals = store.feed().arrivals(run_, last_, at_once_);
      if (!arrivals) return false;
      if (arrivals->empty()) break;  // they were replaced meanwhile
      const std::size_t before = out.size();
      std::size_t added = 0;
      for (const auto& arrival : *arrivals) {
        if (out.size() >= kMostBytes) break;
        add_result(arrival, out);
        ++added;
      }
      at_once_ =
          std::clamp(kMostBytes * added / (out.size() - before), std::size_t{1}, kMostAtOnce);
    }
    return true;
  }

  void count(std::uint32_t sample, bool passed) {
    if (sample >= is_done_.size()) {
      is_done_.resize(sample + std::size_t{1});
      is_passed_.resize(sample + std::size_t{1});
    }
    if (!is_done_[sample]) ++done_;
    if (passed != is_passed_[sample]) passed ? ++passed_ : --passed_;
    is_done_[sample] = true;
    is_passed_[sample] = passed;
  }

  void add_result(const store::Arrival& arrival, std::string& out) {
    base::JsonWriter json;
    wire::write_result(json, arrival.result);
    out += event("result", json.text(), arrival.number);
    count(arrival.result.sample, arrival.result.passed());
    last_ = arrival.number;
  }

  void add_progress(std::size_t planned, std::string& out) {
    std::string text =
        fmt::format(R"({{"done":{},"total":{},"passed":{}}})", done_, planned, passed_);
    if (text == progress_) return;
    progress_ = std::move(text);
    out += event("progress", progress_);
  }

  void add_status(const score::Run& run, std::string& out) {
    status_ = run.status;
    is_ended_ = score::is_finished(run.status);
    base::JsonWriter json;
    wire::write_run(json, run);
    out += event("status", json.text());
  }

  static constexpr std::size_t kMostBytes = 256u << 10;  // per part

  Service& service_;
  const std::string key_, organisation_, run_;
  Clock::time_point checked_at_ = Clock::now();  // of the key
  std::int64_t last_;                            // the last arrival that was sent
  std::size_t at_once_ = 1;                      // results to read, adapted to their size
  std::vector<bool> is_done_, is_passed_;  // by sample: a result may be replaced by a later one
  std::size_t done_ = 0, passed_ = 0;
  std::optional<score::RunStatus> status_;
  std::string progress_;
  bool is_begun_ = false, is_ended_ = false;
  std::atomic<bool> is_beat_due_{false};
};

// Wakes the answer when something happens, and now and then. Lives until the answer ends.
class Waker : public std::enable_shared_from_this<Waker> {
 public:
  Waker(Service& service, ReplyPtr reply, std::shared_ptr<RunEvents> events)
      : service_(service), reply_(std::move(reply)), events_(std::move(events)) {}

  void begin(const std::string& organisation, const std::string& run) {
    reply_->on_end([waker = shared_from_this()] { waker->end(); });
    auto watcher = service_.watch.watch(organisation, run, kEventPause, [weak = weak_from_this()] {
      if (const auto waker = weak.lock()) waker->reply_->wake();
    });
    {
      const std::lock_guard lock(mutex_);
      if (!is_ended_) watcher_.swap(watcher);
    }
    beat_later();
    reply_->wake();  // for events before the watch began
  }

 private:
  void beat_later() {
    const std::lock_guard lock(mutex_);
    if (is_ended_) return;
    timer_ = service_.timer.after(kHeartbeat, [weak = weak_from_this()] {
      const auto waker = weak.lock();
      if (!waker) return;
      waker->events_->beat();
      waker->reply_->wake();
      waker->beat_later();
    });
  }

  void end() {
    std::unique_ptr<app::RunWatch::Watcher> watcher;  // destroyed without the lock
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
    watcher = std::move(watcher_);
    service_.timer.cancel(timer_);
  }

  Service& service_;
  const ReplyPtr reply_;
  const std::shared_ptr<RunEvents> events_;
  std::mutex mutex_;
  bool is_ended_ = false;
  std::unique_ptr<app::RunWatch::Watcher> watcher_;
  Timer::Id timer_ = 0;
};

// The result after which the client continues, or what is wrong.
tl::expected<std::int64_t, std::string> after_of(const Call& call) {
  std::string text = call.query("after").value_or("");
  const bool is_query = !text.empty();
  if (!is_query) text = base::trim(call.request.header("last-event-id"));
  if (text.empty()) return 0;
  const auto number = base::parse_integer(text);
  if (number && *number >= 0) return *number;
  return tl::unexpected(
      fmt::format("`{}` is not an event number of this run", is_query ? "after" : "Last-Event-ID"));
}

}  // namespace

void get_events(Call&& call) {
  const auto after = after_of(call);
  if (!after) return call.reply->send(error(400, after.error()));
  std::string id;
  std::vector<store::Outcome> had;
  {
    auto local = open_store(call);
    if (!local) return;
    const auto run = app::find_run(local->runs(), call.parameters[0]);
    if (!run) return call.reply->send(error(call, run.error()));
    id = run->id;
    auto outcomes = local->store->feed().outcomes(id, *after);
    if (!outcomes) return call.reply->send(error(call, outcomes.error()));
    had = *std::move(outcomes);
  }
  const auto events = std::make_shared<RunEvents>(call, id, *after, had);
  Response response;
  response.type = "text/event-stream";
  response.headers = {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
  response.stream = events;
  call.reply->send(std::move(response));
  std::make_shared<Waker>(call.service, call.reply, events)->begin(call.organisation(), id);
}

}  // namespace vibe::server
