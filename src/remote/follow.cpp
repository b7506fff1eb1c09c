#include "remote/follow.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "model/event_stream.h"
#include "wire/run.h"

namespace vibe::remote {

using base::Code;

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using model::HttpResponse;

constexpr Seconds kTick{0.1};
constexpr double kFirstPause = 0.2, kMostPause = 1;  // before reconnecting

Clock::duration seconds(double value) {
  return std::chrono::duration_cast<Clock::duration>(Seconds(value));
}

// A message from the client's thread to the caller's.
struct Message {
  std::size_t run = 0;
  unsigned connection = 0;            // the run's connection, counted
  std::optional<model::Event> event;  // none: a comment, or the end of the connection
  std::optional<HttpResponse> ended;
};

class Inbox {
 public:
  void add(Message message) {
    {
      const std::lock_guard lock(mutex_);
      messages_.push_back(std::move(message));
    }
    ready_.notify_one();
  }
  std::deque<Message> wait() {
    std::unique_lock lock(mutex_);
    ready_.wait_for(lock, kTick, [&] { return !messages_.empty(); });
    return std::exchange(messages_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Message> messages_;
};

struct Connection {
  bool is_open = false;
  unsigned number = 0;
  int failures = 0;                                  // since the last event or comment
  Clock::time_point due = Clock::time_point::min();  // when to reconnect
  Clock::time_point heard{};  // when the last event or comment came; set with is_open
};

class Following {
 public:
  Following(Server& server, std::span<FollowedRun> runs, score::RunWatcher& watcher,
            const FollowSettings& settings)
      : server_(server),
        runs_(runs),
        watcher_(watcher),
        settings_(settings),
        patience_(settings.patience * server.wait_scale()),
        connections_(runs.size()) {}

  // No callback may come after this.
  ~Following() { server_.cancel_all(); }

  base::Result<void> run() {
    heard_ = Clock::now();
    while (!is_finished()) {
      connect_due();
      for (auto& message : inbox_->wait())
        if (auto taken = take(message); !taken) return taken;
      watcher_.on_tick();
      VIBE_TRY(look_for_stop());
      if (cancelled_ && Clock::now() - *cancelled_ > seconds(settings_.farewell)) return {};
      drop_silent();
      if (Clock::now() - heard_ > seconds(patience_)) return out_of_patience();
    }
    return {};
  }

 private:
  bool is_finished() const {
    return std::all_of(runs_.begin(), runs_.end(),
                       [](const FollowedRun& one) { return one.is_finished; });
  }

  void connect_due() {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      auto& one = connections_[i];
      if (!one.is_open && !runs_[i].is_finished && one.due <= Clock::now()) connect(i);
    }
  }

  void connect(std::size_t i) {
    auto& one = connections_[i];
    one.is_open = true;
    one.heard = Clock::now();
    const unsigned number = ++one.number;
    // An event that is cut off is dropped: the next connection sends it again.
    const auto events = std::make_shared<model::EventStream>(
        [inbox = inbox_, i, number](const model::Event& event) {
          inbox->add({i, number, event, std::nullopt});
        },
        [inbox = inbox_, i, number] { inbox->add({i, number, std::nullopt, std::nullopt}); });
    server_.stream(
        fmt::format("/api/runs/{}/events", encoded(runs_[i].id)), runs_[i].last_event,
        [events](std::string_view bytes) { events->add(bytes); },
        [inbox = inbox_, i, number](HttpResponse response) {
          inbox->add({i, number, std::nullopt, std::move(response)});
        });
  }

  base::Result<void> take(const Message& message) {
    auto& one = connections_[message.run];
    if (message.connection != one.number || runs_[message.run].is_finished) return {};
    if (message.ended) return end(message.run, *message.ended);
    heard_ = one.heard = Clock::now();
    one.failures = 0;
    if (message.event) take_event(message.run, *message.event);
    return {};
  }

  void take_event(std::size_t i, const model::Event& event) {
    const auto data = base::parse_json(event.data);
    if (!data) return;
    if (event.type == "status") {
      // All results came before the last status.
      const auto status = score::run_status(data->text_of("status"));
      runs_[i].is_finished = status && score::is_finished(*status);
    } else if (event.type == "result" && is_new(i, event.id)) {
      if (const auto result = wire::read_result(*data)) watcher_.on_result(i, *result);
    }
  }

  // Also remembers it.
  bool is_new(std::size_t i, const std::string& id) {
    const auto number = base::parse_integer(id), last = base::parse_integer(runs_[i].last_event);
    if (!number || (last && *number <= *last)) return false;
    runs_[i].last_event = id;
    return true;
  }

  base::Result<void> end(std::size_t i, const HttpResponse& response) {
    auto& one = connections_[i];
    one.is_open = false;
    const bool is_refused = response.fault == HttpResponse::Fault::none && response.status >= 400 &&
                            response.status < 500 && response.status != 408 &&
                            response.status != 429;
    if (is_refused || response.fault == HttpResponse::Fault::certificate)
      return tl::unexpected(
          server_.explain(response, {.path = fmt::format("/api/runs/{}/events", runs_[i].id)}));
    const double pause = std::min(kMostPause, kFirstPause * (1 << std::min(one.failures, 10)));
    ++one.failures;
    one.due = Clock::now() + seconds(pause);
    if (response.fault != HttpResponse::Fault::none) problem_ = response.message;
    return {};
  }

  base::Result<void> look_for_stop() {
    if (cancelled_ || !watcher_.wants_to_stop()) return {};
    cancelled_ = Clock::now();
    for (auto& run : runs_) {
      if (run.is_finished) continue;
      VIBE_TRY(server_.ask({.method = "POST",
                            .path = fmt::format("/api/runs/{}/cancel", encoded(run.id)),
                            .may_be_missing = true,
                            .may_conflict = true}));
      run.is_cancelled = true;
    }
    return {};
  }

  // The server sends something regularly, even if nothing happens.
  void drop_silent() {
    for (auto& one : connections_) {
      if (!one.is_open || Clock::now() - one.heard < seconds(settings_.silence)) continue;
      server_.cancel_all();  // the others reconnect as well
      return;
    }
  }

  base::Result<void> out_of_patience() const {
    return base::fail(
        Code::unreachable_server, {},
        fmt::format("the server `{}` has not answered for {}{}", server_.url(),
                    base::show_duration(patience_), problem_.empty() ? "" : ": " + problem_));
  }

  Server& server_;
  const std::span<FollowedRun> runs_;
  score::RunWatcher& watcher_;
  const FollowSettings settings_;
  const double patience_;  // seconds
  std::vector<Connection> connections_;
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  Clock::time_point heard_{};  // when any connection last received something
  std::optional<Clock::time_point> cancelled_;
  std::string problem_;  // why the last connection broke
};

}  // namespace

base::Result<void> follow(Server& server, std::span<FollowedRun> runs, score::RunWatcher& watcher,
                          const FollowSettings& settings) {
  return Following(server, runs, watcher, settings).run();
}

}  // namespace vibe::remote
