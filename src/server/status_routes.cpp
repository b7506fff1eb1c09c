// How a run goes, for those who wait for its end: the request is held until then, and costs no
// thread meanwhile.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "app/history.h"
#include "base/text.h"
#include "server/caller.h"
#include "server/guarded.h"
#include "server/handlers.h"
#include "server/result_stream.h"

namespace vibe::server {

namespace {

constexpr double kLongestWait = 600;  // seconds
constexpr std::chrono::milliseconds kStatusPause{100};

// The run's suite was there before it: a run saves its suite at the moment when it is made.
base::Result<bool> is_update(store::Store& store, const score::Run& run) {
  const auto first = store.suite_version(run.suite_name, 1);
  if (!first) return tl::unexpected(first.error());
  return *first && (*first)->edited_at < run.created_at;
}

Response state_of(const Call& call, app::Local& local, const std::string& id) {
  // First, so that a run that is finished has all of its results.
  auto run = app::find_run(*local.store, id);
  if (!run) return error(call, run.error());
  const auto updates = is_update(*local.store, *run);
  if (!updates) return error(call, updates.error());
  const auto progress = local.store->progress(run->id);
  if (!progress) return error(call, progress.error());
  return status_answer(call, *std::move(run), *updates, *progress ? (*progress)->last_arrival : 0);
}

// A request that is answered when its run is finished, the time is over, or the server ends. Lives
// until the client has its answer, or is gone.
class Held : public std::enable_shared_from_this<Held> {
 public:
  Held(Call call, std::string run) : call_(std::move(call)), run_(std::move(run)) {}

  void begin(std::chrono::milliseconds wait) {
    // First: nothing is watched for a client that is gone.
    call_.reply->on_end([held = shared_from_this()] { held->end(); });
    if (is_answered_) return;
    const auto look = [weak = weak_from_this()](bool is_late) {
      if (const auto held = weak.lock()) held->look_soon(is_late);
    };
    auto watcher = call_.service.watch.watch(call_.organisation(), run_, kStatusPause,
                                             [look] { look(false); });
    const auto timer = call_.service.timer.after(wait, [look] { look(true); });
    {
      const std::lock_guard lock(mutex_);
      watcher_ = std::move(watcher);
      timer_ = timer;
    }
    if (is_answered_) return end();  // it went meanwhile
    look_soon(false);                // it may have ended before it was watched
  }

 private:
  // Not on this thread: it is the watch's or the timer's. Never after end().
  void look_soon(bool is_late) {
    if (is_late) is_late_ = true;
    if (is_answered_ || is_looking_.exchange(true)) return;  // who looks sees what is new
    const bool is_added =
        call_.service.workers.add([held = shared_from_this()] { held->look(); }, owner_);
    if (is_added) return;
    is_looking_ = false;
    call_.service.timer.after(kStatusPause, [weak = weak_from_this()] {
      if (const auto held = weak.lock()) held->look_soon(false);
    });
  }

  void look() {
    const std::string& id = call_.request.id;
    if (guarded(call_.service.log, id, [this] { look_now(); })) return;
    guarded(call_.service.log, id,
            [this] { answer(error(500, "the server failed; its log says why")); });
  }

  void look_now() {
    is_looking_ = false;
    if (is_answered_) return;
    auto local = call_.service.tenants.local(call_.organisation());
    if (!local) return answer(error(call_, local.error()));
    if (!is_late_ && !call_.service.is_stopping) {
      const auto progress = (*local)->store->progress(run_);
      if (!progress) return answer(error(call_, progress.error()));
      if (*progress && !score::is_finished((*progress)->status)) return;
    }
    const auto caller = find_caller(call_.service, key_of(call_.request));
    if (!caller) return answer(error(call_, caller.error()));
    answer(*caller ? state_of(call_, **local, run_) : refused_key());
  }

  void answer(Response response) {
    if (is_answered_.exchange(true)) return;
    call_.reply->send(std::move(response));
  }

  void end() {
    is_answered_ = true;
    std::unique_ptr<app::RunWatch::Watcher> watcher;  // ends without the lock
    const std::lock_guard lock(mutex_);
    watcher = std::move(watcher_);
    call_.service.timer.cancel(timer_);
  }

  Call call_;
  const std::string run_;
  const std::string owner_ = "held " + call_.organisation();  // of its tasks: thousands may wait
  std::atomic<bool> is_looking_{false}, is_late_{false}, is_answered_{false};
  std::mutex mutex_;
  std::unique_ptr<app::RunWatch::Watcher> watcher_;
  Timer::Id timer_ = 0;
};

}  // namespace

void get_status(Call&& call) {
  double wait = kLongestWait;
  if (const auto text = call.query("wait")) {
    const auto seconds = base::parse_double(*text);
    if (!seconds || !(*seconds >= 0))
      return call.reply->send(error(400, "`wait` is no number of seconds from 0 on"));
    wait = std::min(*seconds, kLongestWait);
  }
  std::string id;
  {
    auto local = open_store(call);
    if (!local) return;
    const auto run = app::find_run(*local->store, call.parameters[0]);
    if (!run) return call.reply->send(error(call, run.error()));
    if (wait == 0 || score::is_finished(run->status) || call.service.is_stopping)
      return call.reply->send(state_of(call, *local, run->id));
    id = run->id;
  }
  std::make_shared<Held>(std::move(call), std::move(id))
      ->begin(std::chrono::milliseconds(static_cast<std::int64_t>(wait * 1000)));
}

}  // namespace vibe::server
