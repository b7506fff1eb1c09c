// The status of a run, for clients that wait for its end: the request is held until then and uses
// no thread meanwhile. Before a proxy could give up, the answer begins with a space now and then,
// which JSON allows.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/runs/history.h"
#include "base/text.h"
#include "server/caller.h"
#include "server/guarded.h"
#include "server/handlers.h"
#include "server/result_stream.h"

namespace vibe::server {

namespace {

constexpr double kLongestWait = 365.0 * 24 * 60 * 60;  // seconds: in effect no limit
constexpr std::chrono::milliseconds kStatusPause{100};

// Whether the suite existed before the run, which saves its suite when it is created.
base::Result<bool> is_update(store::Suites& suites, const score::Run& run) {
  VIBE_TRY(const auto first, suites.version(run.suite_name, 1));
  return first && first->edited_at < run.created_at;
}

Response state_of(const Call& call, app::Local& local, const std::string& id) {
  // First, so that a finished run has all its results.
  auto run = app::find_run(local.runs(), id);
  if (!run) return error(call, run.error());
  const auto updates = is_update(local.suites(), *run);
  if (!updates) return error(call, updates.error());
  const auto progress = local.store->feed().progress(run->id);
  if (!progress) return error(call, progress.error());
  return status_answer(call, *std::move(run), *updates, *progress ? (*progress)->last_arrival : 0);
}

constexpr std::string_view kStopping =
    "the server is stopping; the run continues when the server is back";

// An answer whose head is sent before the rest is known: one space per heartbeat, then the rest.
class BegunAnswer final : public Stream {
 public:
  void beat() {
    const std::lock_guard lock(mutex_);
    is_beat_due_ = true;
  }
  // An error status can no longer be sent: the connection is closed early.
  void finish(Response rest) {
    const std::lock_guard lock(mutex_);
    rest_ = std::move(rest);
  }

  std::optional<std::string> next() override {
    {
      const std::lock_guard lock(mutex_);
      if (!rest_) return std::exchange(is_beat_due_, false) ? " " : "";
    }
    if (rest_->status != 200) return std::nullopt;
    if (rest_->stream) return rest_->stream->next();
    if (rest_->body.empty()) return std::nullopt;
    return std::exchange(rest_->body, {});
  }
  bool is_broken() const override {
    return rest_->status != 200 || (rest_->stream && rest_->stream->is_broken());
  }
  bool is_live() const override { return true; }

 private:
  std::mutex mutex_;  // for both, until there is a rest, which only the reader uses
  bool is_beat_due_ = false;
  std::optional<Response> rest_;
};

// A request that is answered when its run is finished, its wait is over, or the server stops. Lives
// until the client has its answer, or is gone.
class Held : public std::enable_shared_from_this<Held> {
 public:
  Held(Call call, std::string run)
      : call_(std::move(call)),
        run_(std::move(run)),
        heartbeat_(static_cast<std::int64_t>(call_.service.config.serve.status_heartbeat * 1000)) {}

  // Without `wait`, holds the request until the run ends.
  void begin(std::optional<std::chrono::milliseconds> wait) {
    // First: do not watch for a client that is gone.
    call_.reply->on_end([held = shared_from_this()] { held->end(); });
    if (is_answered_) return;
    auto watcher = call_.service.watch.watch(call_.organisation(), run_, kStatusPause,
                                             [weak = weak_from_this()] {
                                               if (const auto held = weak.lock()) held->look_soon();
                                             });
    {
      const std::lock_guard lock(mutex_);
      watcher_ = std::move(watcher);
      if (wait) deadline_ = after(*wait, [](Held& held) { held.is_late_ = true; });
    }
    beat_later();
    if (is_answered_) return end();  // the client went meanwhile
    look_soon();                     // the run may have ended before the watch began
  }

 private:
  template <class Note>
  Timer::Id after(std::chrono::milliseconds delay, Note note) {
    return call_.service.timer.after(delay, [weak = weak_from_this(), note] {
      const auto held = weak.lock();
      if (!held) return;
      note(*held);
      held->look_soon();
    });
  }

  void beat_later() {
    const std::lock_guard lock(mutex_);
    if (is_answered_) return;
    beat_ = after(heartbeat_, [](Held& held) {
      held.is_beat_due_ = true;
      held.beat_later();
    });
  }

  // Looks on another thread: this one is the watch's or the timer's. Never after end().
  void look_soon() {
    if (is_answered_ || is_looking_.exchange(true)) return;  // the pending look sees what is new
    const bool is_added =
        call_.service.workers.add([held = shared_from_this()] { held->look(); }, owner_);
    if (is_added) return;
    is_looking_ = false;
    after(kStatusPause, [](Held&) {});
  }

  void look() {
    const std::string& id = call_.request.id;
    if (guarded(call_.service.log, id, [this] { look_now(); })) return;
    guarded(call_.service.log, id, [this] { answer(error(500, kFailed)); });
  }

  void look_now() {
    is_looking_ = false;
    if (is_answered_) return;
    const bool is_beat = is_beat_due_.exchange(false);
    auto local = call_.service.tenants.local(call_.organisation());
    if (!local) return answer(error(call_, local.error()));
    const auto progress = (*local)->store->feed().progress(run_);
    if (!progress) return answer(error(call_, progress.error()));
    const bool is_over = is_late_ || !*progress || score::is_finished((*progress)->status);
    // An unfinished run is not an answer for a client that asks once.
    if (!is_over && call_.service.is_stopping) return answer(error(503, kStopping));
    if (!is_over && !is_beat) return;
    const auto caller = find_caller(call_.service, key_of(call_.request));
    if (!caller) return answer(error(call_, caller.error()));
    if (!*caller) return answer(refused_key());
    is_over ? answer(state_of(call_, **local, run_)) : beat();
  }

  void answer(Response response) {
    const std::lock_guard lock(mutex_);
    if (is_answered_.exchange(true)) return;
    if (!begun_) return call_.reply->send(std::move(response));
    begun_->finish(std::move(response));
    call_.reply->wake();
  }

  void beat() {
    const std::lock_guard lock(mutex_);
    if (is_answered_) return;
    const bool is_first = !begun_;
    if (is_first) begun_ = std::make_shared<BegunAnswer>();
    begun_->beat();
    if (!is_first) return call_.reply->wake();
    Response response;
    response.headers = {{"X-Accel-Buffering", "no"}};  // makes nginx pass the spaces on
    response.stream = begun_;
    call_.reply->send(std::move(response));
  }

  void end() {
    is_answered_ = true;
    std::unique_ptr<app::RunWatch::Watcher> watcher;  // destroyed without the lock
    const std::lock_guard lock(mutex_);
    watcher = std::move(watcher_);
    call_.service.timer.cancel(deadline_);
    call_.service.timer.cancel(beat_);
  }

  Call call_;
  const std::string run_;
  const std::chrono::milliseconds heartbeat_;
  // The owner of its tasks: thousands may wait.
  const std::string owner_ = "held " + call_.organisation();
  std::atomic<bool> is_looking_{false}, is_late_{false}, is_beat_due_{false}, is_answered_{false};
  std::mutex mutex_;  // for all below
  std::unique_ptr<app::RunWatch::Watcher> watcher_;
  Timer::Id deadline_ = 0, beat_ = 0;
  std::shared_ptr<BegunAnswer> begun_;  // null: nothing was sent yet
};

}  // namespace

void get_status(Call&& call) {
  std::optional<std::chrono::milliseconds> wait;
  if (const auto text = call.query("wait")) {
    const auto seconds = base::parse_double(*text);
    if (!seconds || !(*seconds >= 0))
      return call.reply->send(error(400, "`wait` must be a number of seconds, 0 or more"));
    wait.emplace(static_cast<std::int64_t>(std::min(*seconds, kLongestWait) * 1000));
  }
  std::string id;
  {
    auto local = open_store(call);
    if (!local) return;
    const auto run = app::find_run(local->runs(), call.parameters[0]);
    if (!run) return call.reply->send(error(call, run.error()));
    if ((wait && wait->count() == 0) || score::is_finished(run->status))
      return call.reply->send(state_of(call, *local, run->id));
    if (call.service.is_stopping) return call.reply->send(error(503, kStopping));
    id = run->id;
  }
  std::make_shared<Held>(std::move(call), std::move(id))->begin(wait);
}

}  // namespace vibe::server
