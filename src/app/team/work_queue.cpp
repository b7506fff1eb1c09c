#include "app/team/work_queue.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/team/close_run.h"
#include "app/team/queued_run.h"
#include "base/crypto.h"
#include "base/time.h"

namespace vibe::app {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kQueuePoll{1000};
constexpr milliseconds kFirstTurnPause{500}, kLongestTurnPause{30'000};
constexpr std::size_t kMostLooks = 64;  // queues that each poll looks at

// An organisation in the queue for workers.
struct Turn {
  store::Organisation organisation{};
  bool may_have = false;  // waiting runs
  std::size_t running = 0;
  Clock::time_point not_before = Clock::time_point::min();
  milliseconds pause = kFirstTurnPause;  // before the next try after trouble
  // Locked while one of its runs is claimed, or cancelled before that.
  std::shared_ptr<std::mutex> claiming = std::make_shared<std::mutex>();
};

class ThreadedQueue final : public WorkQueue {
 public:
  ThreadedQueue(Tenants& tenants, const QueueSettings& settings)
      : tenants_(tenants), settings_(settings) {
    const std::string name = base::uuid7(base::now_millis());
    working_ = settings_.workers;
    for (std::size_t i = 0; i < settings_.workers; ++i)
      threads_.emplace_back([this, worker = fmt::format("{}/{}", name, i + 1)] { work(worker); });
    threads_.emplace_back([this] {
      do look_around();
      while (wait_for_poll());
    });
    // On its own thread: other work may take longer than a lease.
    threads_.emplace_back([this] {
      while (wait_for_renewal()) renew_leases();
    });
    hints_ = tenants_.events().subscribe([this](const store::Event& event) {
      if (event.kind == store::Event::Kind::queued) added(event.organisation);
    });
  }
  ~ThreadedQueue() override { ThreadedQueue::end(); }

  void cancelled(std::string_view organisation, std::string_view run) override {
    const auto claiming = claiming_of(organisation);
    std::unique_lock claims(*claiming);
    {
      const std::lock_guard lock(mutex_);
      const auto at_work = running_.find({std::string(organisation), std::string(run)});
      if (at_work != running_.end()) {
        at_work->second.signals->is_cancelled = true;
        return;
      }
    }
    const auto local = tenants_.local(organisation);
    if (!local) return;  // the worker that claims it will see that it must stop
    const auto claim = (*local)->store->queue().claim_run(run, "cancel", settings_.lease);
    if (!claim) return settings_.on_trouble(claim.error());
    if (!*claim) return;  // another process works on it, and will notice
    close_waiting(std::string(organisation), **claim, **local);
  }

  std::size_t running() const override {
    const std::lock_guard lock(mutex_);
    return running_.size();
  }

  void end() override {
    const std::lock_guard once(ending_);
    if (threads_.empty()) return;
    hints_.reset();
    {
      std::unique_lock lock(mutex_);
      is_ending_ = true;
      signals_.drain();
      wake_.notify_all();
      idle_.wait_for(lock, milliseconds(static_cast<std::int64_t>(settings_.grace * 1000)),
                     [this] { return working_ == 0; });
    }
    signals_.stop();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  using RunKey = std::pair<std::string, std::string>;  // organisation and run
  struct AtWork {
    store::Hold hold;
    std::shared_ptr<RunSignals> signals;
  };

  void changed(std::string_view organisation, std::string_view run) {
    tenants_.events().publish({store::Event::Kind::changed, organisation, run});
  }

  // Called when a run was queued there.
  void added(std::string_view organisation) {
    const std::lock_guard lock(mutex_);
    const auto turn = turns_.find(organisation);
    if (turn != turns_.end()) {
      turn->second.may_have = true;
      wake_.notify_all();
    } else {
      has_new_ = true;  // its limits must be read first
      poll_.notify_all();
    }
  }

  // ---- workers

  void work(const std::string& worker) {
    while (const auto organisation = next()) {
      bool found = false, is_trouble = false;
      // The last resort: a failing run must not harm the next one. Its claim is lost with the lock,
      // so it is tried again, and eventually given up.
      try {
        std::tie(found, is_trouble) = serve(*organisation, worker);
      } catch (const std::exception&) {
        is_trouble = true;
      }
      leave(organisation->id, found, is_trouble);
    }
    const std::lock_guard lock(mutex_);
    --working_;
    idle_.notify_all();
    poll_.notify_all();
  }

  // The organisation whose turn it is; waits for one. None: the queue is stopping.
  std::optional<store::Organisation> next() {
    std::unique_lock lock(mutex_);
    while (!is_ending_) {
      if (Turn* turn = choose()) {
        ++turn->running;
        turn->may_have = false;  // until it is known
        last_ = turn->organisation.id;
        return turn->organisation;
      }
      wake_.wait_for(lock, kQueuePoll);
    }
    return std::nullopt;
  }

  Turn* choose() {
    const auto now = Clock::now();
    const auto is_eligible = [&](const Turn& turn) {
      return turn.may_have && turn.organisation.is_active && now >= turn.not_before &&
             static_cast<std::int64_t>(turn.running) < turn.organisation.limits.running_runs;
    };
    const auto after = turns_.upper_bound(last_);
    for (auto at = after; at != turns_.end(); ++at)
      if (is_eligible(at->second)) return &at->second;
    for (auto at = turns_.begin(); at != after; ++at)
      if (is_eligible(at->second)) return &at->second;
    return nullptr;
  }

  void leave(const std::string& organisation, bool found, bool is_trouble) {
    const std::lock_guard lock(mutex_);
    Turn& turn = turns_.at(organisation);
    --turn.running;
    if (is_trouble) {
      turn.not_before = Clock::now() + turn.pause;
      turn.pause = std::min(turn.pause * 2, kLongestTurnPause);
    } else if (found) {
      turn.pause = kFirstTurnPause;
    }
    if (found || is_trouble) turn.may_have = true;
    wake_.notify_all();
  }

  // Whether there was a run, and whether there was trouble.
  std::pair<bool, bool> serve(const store::Organisation& organisation, const std::string& worker) {
    const auto local = tenants_.local(organisation.id);
    if (!local) return {false, true};
    const auto signals = std::make_shared<RunSignals>();
    auto claim = take(organisation.id, worker, **local, signals);
    if (!claim) return {false, true};
    if (!*claim) return {false, false};
    const std::string run = (*claim)->run.id;
    changed(organisation.id, run);
    const Registered registered(*this, {organisation.id, run}, signals);
    const auto end = work_on(**claim, {settings_, organisation.id, **local, credits_,
                                       tenants_.events(), signals_, *signals});
    return {true, end == WorkEnd::trouble};
  }

  base::Result<std::optional<store::Claim>> take(const std::string& organisation,
                                                 const std::string& worker, Local& local,
                                                 const std::shared_ptr<RunSignals>& signals) {
    const auto claiming = claiming_of(organisation);
    const std::lock_guard claims(*claiming);
    auto claim = local.store->queue().claim(worker, settings_.lease);
    if (!claim || !*claim) return claim;
    const std::lock_guard lock(mutex_);
    running_.insert_or_assign({organisation, (*claim)->run.id},
                              AtWork{(*claim)->held.hold, signals});
    turns_.at(organisation).may_have = true;  // there may be more
    wake_.notify_one();
    return claim;
  }

  // Registers a run as running while this lives.
  class Registered {
   public:
    Registered(ThreadedQueue& queue, RunKey key, std::shared_ptr<RunSignals> signals)
        : queue_(queue), key_(std::move(key)), signals_(std::move(signals)) {}
    ~Registered() {
      const std::lock_guard lock(queue_.mutex_);
      // A run whose lease was lost may belong to another worker here by now.
      const auto found = queue_.running_.find(key_);
      if (found != queue_.running_.end() && found->second.signals == signals_)
        queue_.running_.erase(found);
    }
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;

   private:
    ThreadedQueue& queue_;
    RunKey key_;
    std::shared_ptr<RunSignals> signals_;
  };

  std::shared_ptr<std::mutex> claiming_of(std::string_view organisation) {
    const std::lock_guard lock(mutex_);
    const auto turn = turns_.find(organisation);
    return turn != turns_.end() ? turn->second.claiming : std::make_shared<std::mutex>();
  }

  // ---- runs that nobody works on

  void close_waiting(const std::string& organisation, const store::Claim& claim, Local& local) {
    if (cancel_run(claim, {organisation, local, credits_}))
      changed(organisation, claim.run.id);
    else
      static_cast<void>(local.store->queue().hand_back(claim.held.hold));  // or its lock ends it
  }

  // ---- other tasks

  // False: the queue is stopping.
  bool wait_for_poll() {
    std::unique_lock lock(mutex_);
    poll_.wait_for(lock, kQueuePoll, [this] { return working_ == 0 || has_new_; });
    return working_ > 0;
  }

  bool wait_for_renewal() {
    const milliseconds third(static_cast<std::int64_t>(settings_.lease * 1000 / 3));
    std::unique_lock lock(mutex_);
    poll_.wait_for(lock, std::min(kQueuePoll, third), [this] { return working_ == 0; });
    return working_ > 0;
  }

  void look_around() {
    {
      const std::lock_guard lock(mutex_);
      has_new_ = false;
      if (is_ending_) return;
    }
    const auto directory = tenants_.directory();
    if (!directory) return;
    const auto organisations = (*directory)->organisations().list();
    if (!organisations) return;
    note(*organisations);
    for (const auto& organisation : next_looks()) look_at(organisation);
  }

  void note(const std::vector<store::Organisation>& organisations) {
    for (const auto& organisation : organisations) credits_.note(organisation);
    const std::lock_guard lock(mutex_);
    for (const auto& organisation : organisations) {
      const auto [turn, is_new] = turns_.try_emplace(organisation.id);
      turn->second.organisation = organisation;
      if (is_new) turn->second.may_have = true;
    }
    wake_.notify_all();
  }

  // With many organisations, each is looked at in turn.
  std::vector<std::string> next_looks() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    auto at = turns_.upper_bound(last_look_);
    for (std::size_t i = 0; i < std::min(kMostLooks, turns_.size()); ++i) {
      if (at == turns_.end()) at = turns_.begin();
      out.push_back(last_look_ = at->first);
      ++at;
    }
    return out;
  }

  // Other processes may have queued runs, or left some behind.
  void look_at(const std::string& organisation) {
    const auto local = tenants_.local(organisation);
    if (!local) return;
    const auto depth = (*local)->store->queue().depth();
    if (!depth) return;
    const std::lock_guard lock(mutex_);
    Turn& turn = turns_.at(organisation);
    if (depth->waiting + depth->claimed <= turn.running || turn.may_have) return;
    turn.may_have = true;
    wake_.notify_one();
  }

  // While a run is being prepared, its worker is busy and cannot renew its lease.
  void renew_leases() {
    std::vector<std::pair<std::string, store::Hold>> preparing;  // by organisation
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [key, at_work] : running_)
        if (at_work.signals->is_preparing) preparing.emplace_back(key.first, at_work.hold);
    }
    for (const auto& [organisation, hold] : preparing)
      if (const auto local = tenants_.local(organisation)) {
        // A lost lease is the worker's business: it notices when it writes.
        const auto ignored = (*local)->store->queue().renew(hold, settings_.lease);
        static_cast<void>(ignored);
      }
  }

  Tenants& tenants_;
  const QueueSettings settings_;
  QueueSignals signals_;
  Credits credits_{tenants_};
  std::mutex ending_;  // locked while the queue stops

  mutable std::mutex mutex_;  // for all below
  std::condition_variable wake_, poll_, idle_;
  std::map<std::string, Turn, std::less<>> turns_;
  std::string last_, last_look_;  // whose turn it was
  std::map<RunKey, AtWork> running_;
  std::size_t working_ = 0;  // workers that are still running
  bool is_ending_ = false, has_new_ = false;
  std::vector<std::thread> threads_;
  std::unique_ptr<store::Events::Subscription> hints_;
};

}  // namespace

std::unique_ptr<WorkQueue> WorkQueue::start(Tenants& tenants, const QueueSettings& settings) {
  return std::make_unique<ThreadedQueue>(tenants, settings);
}

}  // namespace vibe::app
