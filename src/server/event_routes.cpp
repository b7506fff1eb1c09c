// What happens to a run, as Server-Sent Events: each result as it comes, the progress, the status.
// A client whose connection broke goes on after the last result that it has.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "app/history.h"
#include "base/json.h"
#include "base/text.h"
#include "report/run_json.h"
#include "server/handlers.h"

namespace vibe::server {

namespace {

constexpr std::chrono::milliseconds kPause{50}, kHeartbeat{15'000};
constexpr std::size_t kMostAtOnce = 64;  // results in one part of the answer

std::string event(std::string_view name, std::string_view data,
                  std::optional<std::int64_t> id = {}) {
  return fmt::format("{}event: {}\ndata: {}\n\n", id ? fmt::format("id: {}\n", *id) : "", name,
                     data);
}

// Everything that happened since the last part. Belongs to the answer; who wakes it knows the
// reply alone.
class RunEvents : public Stream {
 public:
  RunEvents(Service& service, std::string organisation, std::string run, std::int64_t after)
      : service_(service),
        organisation_(std::move(organisation)),
        run_(std::move(run)),
        last_(after) {}

  void beat() { is_beat_due_ = true; }

  std::optional<std::string> next() override {
    if (is_ended_) return std::nullopt;
    std::string out = is_begun_ ? "" : "retry: 1000\n\n";
    is_begun_ = true;
    auto local = service_.tenants.local(organisation_);
    // The client comes back, and asks again.
    if (!local || !add_news(*(*local)->store, out) || service_.is_stopping) is_ended_ = true;
    if (out.empty() && is_beat_due_ && !is_ended_) out = ": still here\n\n";
    if (!out.empty()) is_beat_due_ = false;
    if (out.empty() && is_ended_) return std::nullopt;
    return out;
  }

 private:
  // False where the store could not be read.
  bool add_news(store::Store& store, std::string& out) {
    if (!pass_over(store)) return false;
    // First, so that a run is finished only once all of its results were sent.
    const auto progress = store.progress(run_);
    if (!progress || !*progress) return false;
    while ((*progress)->last_arrival > last_ && out.size() < kMostBytes) {
      const auto arrivals = store.arrivals(run_, last_, kMostAtOnce);
      if (!arrivals) return false;
      if (arrivals->empty()) break;  // they were replaced meanwhile
      for (const auto& arrival : *arrivals) add_result(arrival, out);
    }
    const bool is_behind = (*progress)->last_arrival > last_;
    const bool is_finished = score::is_finished((*progress)->status) && !is_behind;
    if (out.empty() && status_ == (*progress)->status && !is_finished) return true;
    const auto run = store.run(run_);
    if (!run || !*run) return false;
    add_progress(**run, out);
    if (!is_behind) add_status(**run, (*progress)->status, is_finished, out);
    return true;
  }

  // What the client has already counts as done.
  bool pass_over(store::Store& store) {
    while (passed_over_ < last_) {
      const auto arrivals = store.arrivals(run_, passed_over_, kMostAtOnce);
      if (!arrivals) return false;
      if (arrivals->empty()) break;
      for (const auto& arrival : *arrivals)
        if (arrival.number <= last_) count(arrival.result);
      passed_over_ = arrivals->back().number;
    }
    passed_over_ = last_;
    return true;
  }

  void count(const score::Result& result) {
    bool& passes = passes_[result.sample];
    if (passes != result.passed()) result.passed() ? ++passed_ : --passed_;
    passes = result.passed();
  }

  void add_result(const store::Arrival& arrival, std::string& out) {
    count(arrival.result);
    base::JsonWriter json;
    report::write_result(json, arrival.result);
    out += event("result", json.text(), arrival.number);
    last_ = passed_over_ = arrival.number;
  }

  void add_progress(const score::Run& run, std::string& out) {
    std::string text = fmt::format(R"({{"done":{},"total":{},"passed":{}}})", passes_.size(),
                                   run.planned, passed_);
    if (text == progress_) return;
    progress_ = std::move(text);
    out += event("progress", progress_);
  }

  void add_status(const score::Run& run, score::RunStatus status, bool is_finished,
                  std::string& out) {
    if (status_ == status && !is_finished) return;
    status_ = status;
    is_ended_ = is_finished;
    base::JsonWriter json;
    report::write_run(json, run);
    out += event("status", json.text());
  }

  static constexpr std::size_t kMostBytes = 256u << 10;  // of one part

  Service& service_;
  const std::string organisation_, run_;
  std::int64_t last_;                               // arrival that was sent
  std::int64_t passed_over_ = 0;                    // arrivals that are counted
  std::unordered_map<std::uint32_t, bool> passes_;  // of each sample that has a result
  std::size_t passed_ = 0;                          // of them
  std::optional<score::RunStatus> status_;
  std::string progress_;
  bool is_begun_ = false, is_ended_ = false;
  std::atomic<bool> is_beat_due_{false};
};

// Wakes the answer when something happens, and every now and then. Lives until the answer's end.
class Waker : public std::enable_shared_from_this<Waker> {
 public:
  Waker(Service& service, ReplyPtr reply, std::shared_ptr<RunEvents> events)
      : service_(service), reply_(std::move(reply)), events_(std::move(events)) {}

  void begin(const std::string& organisation, const std::string& run) {
    reply_->on_end([waker = shared_from_this()] { waker->end(); });
    auto watcher = service_.watch.watch(organisation, run, kPause, [weak = weak_from_this()] {
      if (const auto waker = weak.lock()) waker->reply_->wake();
    });
    {
      const std::lock_guard lock(mutex_);
      if (!is_ended_) watcher_.swap(watcher);
    }
    beat_later();
    reply_->wake();  // for what happened before it was watched
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
    std::unique_ptr<app::RunWatch::Watcher> watcher;  // ends without the lock
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

// After which result the client goes on; none: it is no number.
std::optional<std::int64_t> after_of(const Call& call) {
  std::string text = call.query("after").value_or("");
  if (text.empty()) text = base::trim(call.request.header("last-event-id"));
  if (text.empty()) return 0;
  const auto number = base::parse_integer(text);
  return number && *number >= 0 ? number : std::nullopt;
}

}  // namespace

void get_events(Call call) {
  const auto after = after_of(call);
  if (!after)
    return call.reply->send(error(400, "`Last-Event-ID` is no number of an event of this run"));
  std::string id;
  {
    auto local = open_store(call);
    if (!local) return;
    const auto run = app::find_run(*local->store, call.parameters[0]);
    if (!run) return call.reply->send(error(call, run.error()));
    id = run->id;
  }
  const auto events = std::make_shared<RunEvents>(call.service, call.organisation(), id, *after);
  Response response;
  response.type = "text/event-stream";
  response.headers = {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
  response.stream = events;
  call.reply->send(std::move(response));
  std::make_shared<Waker>(call.service, call.reply, events)->begin(call.organisation(), id);
}

}  // namespace vibe::server
