#include "app/team/queued_run.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "app/runs/run_suite.h"
#include "app/team/close_run.h"
#include "app/team/start_run.h"

namespace vibe::app {

using base::Code;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr std::uint32_t kMostFruitlessClaims = 10;
constexpr milliseconds kFirstPause{100}, kLongestPause{2000};
constexpr milliseconds kBetweenCharges{1000};

// The store is in trouble: not the run's fault.
bool is_trouble(const base::Diagnostics& problems) { return problems.has(Code::store_unusable); }

std::string sentence(const base::Diagnostics& problems) {
  for (const auto& one : problems.all()) {
    if (one.severity != base::Severity::error) continue;
    const std::size_t more = problems.errors() - 1;
    return more == 0 ? one.message : fmt::format("{} (and {} more)", one.message, more);
  }
  return "the run could not be prepared";
}

class WatchedRun final : public Watcher {
 public:
  // `paid`: US dollars since it was queued, already charged.
  WatchedRun(const store::Claim& claim, const WorkerContext& context, double paid)
      : claim_(claim),
        context_(context),
        paid_(paid),
        charged_(paid),
        pause_between_(static_cast<std::int64_t>(context.settings.lease * 1000 / 3)) {}

  bool is_lost() const { return is_lost_; }

  void on_start(std::span<const PreparedModel>) override {
    renew();
    context_.run_signals.is_preparing = false;
    changed();
  }
  void on_result(std::size_t, const score::Result& result) override {
    context_.settings.on_result(result);
    paid_ += result.paid;
    pause_ = kFirstPause;
    changed();
  }
  void on_tick() override {
    if (!renewed_ || Clock::now() - *renewed_ >= pause_between_) renew();
    // A charge that fails is retried at a later tick, or at the end.
    if (Clock::now() - charged_at_ >= kBetweenCharges) static_cast<void>(charge());
  }
  base::Result<void> before_end() override { return charge(); }
  bool wants_to_stop() const override {
    return is_lost_ || context_.run_signals.is_cancelled || context_.signals.stops();
  }
  bool hands_over() const override {
    return context_.signals.drains() && !context_.run_signals.is_cancelled;
  }
  bool wants_retry(const base::Diagnostics& problem) override {
    is_lost_ = is_lost_ || problem.has(Code::lease_lost);
    if (is_lost_ || !is_trouble(problem)) return false;
    if (pause_ == kFirstPause) context_.settings.on_trouble(problem);
    if (!context_.signals.sleep(std::exchange(pause_, std::min(pause_ * 2, kLongestPause))))
      return false;
    on_tick();
    return !is_lost_;
  }

 private:
  void changed() {
    context_.events.publish({store::Event::Kind::changed, context_.organisation, claim_.run.id});
  }

  base::Result<void> charge() {
    charged_at_ = Clock::now();
    if (paid_ == charged_) return {};
    auto charged =
        context_.credits.charge(context_.organisation, {claim_.run.id, claim_.queued_after}, paid_);
    if (charged) charged_ = paid_;
    return charged;
  }

  // If the store is in trouble, a later tick tries again.
  void renew() {
    const auto kept =
        context_.local.store->queue().renew(claim_.held.hold, context_.settings.lease);
    is_lost_ = is_lost_ || (!kept && kept.error().has(Code::lease_lost));
    renewed_ = Clock::now();
  }

  const store::Claim& claim_;
  const WorkerContext& context_;
  double paid_, charged_;  // US dollars since it was queued
  Clock::time_point charged_at_ = Clock::now();
  milliseconds pause_between_, pause_ = kFirstPause;
  std::optional<Clock::time_point> renewed_{};  // none: not since the run was claimed
  bool is_lost_ = false;
};

class Working {
 public:
  Working(const store::Claim& claim, const WorkerContext& context)
      : claim_(claim),
        run_(claim.run),
        context_(context),
        local_(context.local),
        request_(read_job(claim)) {
    request_.version = context.settings.version;
    request_.is_cancelled = [&context] {
      return context.run_signals.is_cancelled || context.signals.drains();
    };
  }

  WorkEnd work() {
    const auto stop = local_.store->journal().stop_requested(run_.id);
    if (!stop) return hand_back(true);
    if (*stop) return cancel();
    if (claim_.earlier_claims >= kMostFruitlessClaims)
      return fail(fmt::format("given up: {} workers took the run and stopped without a result",
                              claim_.earlier_claims));
    base::Diagnostics problems;
    auto prepared = prepare_run(request_, local_, problems);
    if (context_.run_signals.is_cancelled) return cancel();
    if (context_.signals.drains()) return hand_back(false);
    if (!prepared) return is_trouble(problems) ? hand_back(true) : fail(sentence(problems));
    return run(*prepared);
  }

 private:
  WorkEnd run(Prepared& prepared) {
    const auto paid =
        paid_since_queued(claim_, prepared.runs.front().earlier, local_.store->feed());
    if (!paid || !context_.credits.charge_earlier(context_.organisation,
                                                  {run_.id, claim_.queued_after}, *paid))
      return hand_back(true);
    const auto spending_limit = context_.credits.spending_limit(context_.organisation);
    if (!spending_limit) return hand_back(true);
    prepared.spending_limit = *spending_limit;

    WatchedRun watcher(claim_, context_, *paid);
    base::Diagnostics problems;
    if (!start_suite(prepared, *local_.store, problems))
      return problems.has(Code::lease_lost) ? WorkEnd::done : hand_back(true);
    const auto finished = run_suite(prepared, *local_.store, watcher);
    if (watcher.is_lost()) return WorkEnd::done;
    const FinishedRun& done = finished.front();
    if (done.problems.has(Code::lease_lost)) return WorkEnd::done;
    if (!done.is_kept) return hand_back(true);
    if (!score::is_finished(done.run.status)) return hand_back(false);
    changed();
    return WorkEnd::done;
  }

  Owner owner() const { return {context_.organisation, local_, context_.credits}; }
  WorkEnd cancel() { return closed(cancel_run(claim_, owner())); }
  WorkEnd fail(const std::string& error) { return closed(fail_run(claim_, error, owner())); }

  WorkEnd closed(const base::Result<void>& kept) {
    if (!kept && !kept.error().has(Code::lease_lost)) return hand_back(true);
    if (kept) changed();
    return WorkEnd::done;
  }

  WorkEnd hand_back(bool is_trouble) {
    // If even that cannot be written, the lease expires, or the lock ends with the claim.
    const auto ignored = local_.store->queue().hand_back(claim_.held.hold);
    changed();
    return is_trouble || !ignored ? WorkEnd::trouble : WorkEnd::done;
  }

  void changed() {
    context_.events.publish({store::Event::Kind::changed, context_.organisation, run_.id});
  }

  const store::Claim& claim_;
  const score::Run& run_;
  const WorkerContext& context_;
  Local& local_;
  RunRequest request_;
};

}  // namespace

void QueueSignals::stop() {
  const std::lock_guard lock(mutex_);
  drains_ = stops_ = true;
  changed_.notify_all();
}

bool QueueSignals::sleep(milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this] { return stops_.load(); });
}

WorkEnd work_on(const store::Claim& claim, const WorkerContext& context) {
  return Working(claim, context).work();
}

}  // namespace vibe::app
