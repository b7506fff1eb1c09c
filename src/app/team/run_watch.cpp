#include "app/team/run_watch.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace vibe::app {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::milliseconds(500);

struct Place {
  std::string organisation, run;
  bool operator==(const Place&) const = default;
};
struct HashPlace {
  std::size_t operator()(const Place& place) const {
    const std::hash<std::string> hash;
    return hash(place.organisation) * 31 + hash(place.run);
  }
};

// One watcher. Guarded by the board's mutex.
struct Waiting {
  std::chrono::milliseconds pause;
  RunWatch::Wake wake;
  std::optional<Clock::time_point> last{};  // when it was called; none: never
  bool is_due = false;                      // it is in the list of calls to make
  bool is_called = false;                   // just now
  bool is_gone = false;
};
using WaitingPtr = std::shared_ptr<Waiting>;

struct Watched {
  std::unordered_set<WaitingPtr> waiting;
  bool has_changed = false;                       // it is in the list of changed runs
  std::optional<Clock::time_point> changed_at{};  // according to this process; none: never
  std::optional<store::RunProgress> seen;         // in the store
};

// The watchers by run, and the thread that calls them.
class Board {
 public:
  void add(const Place& place, const WaitingPtr& waiting) {
    const std::lock_guard lock(mutex_);
    watched_[place].waiting.insert(waiting);
  }

  // Waits for a call in progress, unless that call asks for this.
  void remove(const Place& place, const WaitingPtr& waiting) {
    std::unique_lock lock(mutex_);
    waiting->is_gone = true;
    const auto watched = watched_.find(place);
    if (watched != watched_.end()) {
      watched->second.waiting.erase(waiting);
      if (watched->second.waiting.empty()) watched_.erase(watched);
    }
    if (std::this_thread::get_id() == caller_) return;
    called_.wait(lock, [&] { return !waiting->is_called; });
  }

  void changed(const Place& place) {
    const std::lock_guard lock(mutex_);
    const auto watched = watched_.find(place);
    if (watched == watched_.end()) return;
    watched->second.changed_at = Clock::now();
    note(place, watched->second);
  }

  void changed_all() {
    const std::lock_guard lock(mutex_);
    for (auto& [place, watched] : watched_) note(place, watched);
  }

  // The runs that no hint of this process was about lately.
  std::map<std::string, std::vector<std::string>> quiet() {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::vector<std::string>> out;
    for (const auto& [place, watched] : watched_)
      if (!watched.changed_at || Clock::now() - *watched.changed_at > kPoll)
        out[place.organisation].push_back(place.run);
    return out;
  }

  // The first look counts as a change: nobody knows what happened before it.
  void saw(const Place& place, const store::RunProgress& progress) {
    const std::lock_guard lock(mutex_);
    const auto watched = watched_.find(place);
    if (watched == watched_.end()) return;
    const auto before = std::exchange(watched->second.seen, progress);
    if (!before || before->status != progress.status ||
        before->last_arrival != progress.last_arrival)
      note(place, watched->second);
  }

  void call_until_ended() {
    std::unique_lock lock(mutex_);
    caller_ = std::this_thread::get_id();
    while (!is_ended_) {
      schedule();
      if (due_.empty()) {
        work_.wait(lock);
      } else if (const auto when = due_.begin()->first; when > Clock::now()) {
        work_.wait_until(lock, when);
      } else {
        const auto due =
            due_.extract(due_.begin());  // keeps it alive, even if it is removed meanwhile
        call(*due.mapped(), lock);
      }
    }
  }

  void end() {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
    work_.notify_all();
    ended_.notify_all();
  }
  // False: it has ended.
  bool wait_for_poll() {
    std::unique_lock lock(mutex_);
    return !ended_.wait_for(lock, kPoll, [this] { return is_ended_; });
  }

 private:
  void note(const Place& place, Watched& watched) {
    if (std::exchange(watched.has_changed, true)) return;
    changed_.push_back(place);
    work_.notify_one();
  }

  void schedule() {
    for (const auto& place : std::exchange(changed_, {})) {
      const auto watched = watched_.find(place);
      if (watched == watched_.end()) continue;
      watched->second.has_changed = false;
      for (const auto& waiting : watched->second.waiting)
        if (!std::exchange(waiting->is_due, true))
          due_.emplace(waiting->last ? *waiting->last + waiting->pause : Clock::now(), waiting);
    }
  }

  // A change from now on is a new change.
  void call(Waiting& waiting, std::unique_lock<std::mutex>& lock) {
    waiting.is_due = false;
    if (waiting.is_gone) return;
    waiting.last = Clock::now();
    waiting.is_called = true;
    lock.unlock();
    waiting.wake();
    lock.lock();
    waiting.is_called = false;
    if (waiting.is_gone) called_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable work_, called_, ended_;
  std::unordered_map<Place, Watched, HashPlace> watched_;
  std::vector<Place> changed_;
  std::multimap<Clock::time_point, WaitingPtr> due_;
  std::thread::id caller_;
  bool is_ended_ = false;
};

class BoardWatcher final : public RunWatch::Watcher {
 public:
  BoardWatcher(std::shared_ptr<Board> board, Place place, WaitingPtr waiting)
      : board_(std::move(board)), place_(std::move(place)), waiting_(std::move(waiting)) {
    board_->add(place_, waiting_);
  }
  ~BoardWatcher() override { board_->remove(place_, waiting_); }

 private:
  std::shared_ptr<Board> board_;  // may outlive the watch itself
  Place place_;
  WaitingPtr waiting_;
};

class ThreadedWatch final : public RunWatch {
 public:
  explicit ThreadedWatch(Tenants& tenants)
      : tenants_(tenants),
        caller_([board = board_] { board->call_until_ended(); }),
        poller_([this] {
          while (board_->wait_for_poll()) poll();
        }),
        hints_(tenants.events().subscribe([board = board_](const store::Event& event) {
          if (event.kind == store::Event::Kind::changed)
            board->changed({std::string(event.organisation), std::string(event.run)});
        })) {}
  ~ThreadedWatch() override {
    hints_.reset();
    board_->end();
    caller_.join();
    poller_.join();
  }

  std::unique_ptr<Watcher> watch(std::string_view organisation, std::string_view run,
                                 std::chrono::milliseconds pause, Wake wake) override {
    auto waiting = std::make_shared<Waiting>();
    waiting->pause = pause;
    waiting->wake = std::move(wake);
    return std::make_unique<BoardWatcher>(
        board_, Place{std::string(organisation), std::string(run)}, std::move(waiting));
  }
  void wake_all() override { board_->changed_all(); }

 private:
  // A run that cannot be read now is read next time.
  void poll() {
    for (const auto& [organisation, runs] : board_->quiet()) {
      const auto local = tenants_.local(organisation);
      if (!local) continue;
      for (const auto& run : runs)
        if (const auto progress = (*local)->store->feed().progress(run); progress && *progress)
          board_->saw({organisation, run}, **progress);
    }
  }

  Tenants& tenants_;
  std::shared_ptr<Board> board_ = std::make_shared<Board>();
  std::thread caller_, poller_;
  std::unique_ptr<store::Events::Subscription> hints_;
};

}  // namespace

std::unique_ptr<RunWatch> RunWatch::make(Tenants& tenants) {
  return std::make_unique<ThreadedWatch>(tenants);
}

}  // namespace vibe::app
