#include "app/queued_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/close_run.h"
#include "app/run_suite.h"
#include "app/start_run.h"
#include "base/time.h"

namespace vibe::app {

using base::Code;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr std::uint32_t kMostFruitlessClaims = 10;
constexpr milliseconds kFirstPause{100}, kLongestPause{2000};

bool has(const base::Diagnostics& problems, Code code) {
  return std::ranges::any_of(problems.all(), [&](const auto& one) { return one.code == code; });
}

// Whatever the run is, it is not its fault.
bool is_trouble(const base::Diagnostics& problems) { return has(problems, Code::store_unusable); }

std::string sentence(const base::Diagnostics& problems) {
  for (const auto& one : problems.all()) {
    if (one.severity != base::Severity::error) continue;
    const std::size_t more = problems.errors() - 1;
    return more == 0 ? one.message : fmt::format("{} (and {} more)", one.message, more);
  }
  return "the run could not be prepared";
}

double paid_for(const score::Result& result) {
  return result.from_cache ? 0 : result.cost.value_or(0) + result.judge_cost.value_or(0);
}

double paid_for(const std::vector<score::Result>& results) {
  double out = 0;
  for (const auto& result : results) out += paid_for(result);
  return out;
}

class WatchedRun final : public Watcher {
 public:
  WatchedRun(const std::string& run, const WorkerContext& context)
      : run_(run),
        context_(context),
        pause_between_(static_cast<std::int64_t>(context.settings.lease * 1000 / 3)) {}

  bool is_lost() const { return is_lost_; }

  void on_start(std::span<const PreparedModel>) override {
    renew();
    context_.run_signals.is_preparing = false;
    changed();
  }
  void on_result(std::size_t, const score::Result& result) override {
    context_.settings.on_result(result);
    pause_ = kFirstPause;
    changed();
  }
  void on_tick() override {
    if (Clock::now() - renewed_ >= pause_between_) renew();
  }
  bool wants_to_stop() const override {
    return is_lost_ || context_.run_signals.is_cancelled || context_.signals.stops();
  }
  bool hands_over() const override {
    return context_.signals.drains() && !context_.run_signals.is_cancelled;
  }
  bool wants_retry(const base::Diagnostics& problem) override {
    is_lost_ = is_lost_ || has(problem, Code::lease_lost);
    if (is_lost_ || !is_trouble(problem)) return false;
    if (!context_.signals.sleep(std::exchange(pause_, std::min(pause_ * 2, kLongestPause))))
      return false;
    on_tick();
    return !is_lost_;
  }

 private:
  void changed() { context_.watch.changed(context_.organisation.id, run_); }

  // A store in trouble is asked again at the next tick after a while.
  void renew() {
    const auto kept =
        context_.local.store->renew(run_, context_.worker, lease_end(context_.settings));
    is_lost_ = is_lost_ || (!kept && has(kept.error(), Code::lease_lost));
    renewed_ = Clock::now();
  }

  const std::string& run_;
  const WorkerContext& context_;
  milliseconds pause_between_, pause_ = kFirstPause;
  Clock::time_point renewed_{};
  bool is_lost_ = false;
};

class Working {
 public:
  Working(const store::Claim& claim, const WorkerContext& context)
      : claim_(claim),
        run_(claim.run),
        context_(context),
        local_(context.local),
        request_(read_order(claim.order, claim.run.id)) {
    request_.is_cancelled = [&context] {
      return context.run_signals.is_cancelled || context.signals.stops();
    };
  }

  WorkDone work() {
    const auto stop = local_.store->stop_requested(run_.id);
    if (!stop) return hand_back(true);
    if (*stop) return cancel();
    if (claim_.earlier_claims >= kMostFruitlessClaims)
      return close(score::RunStatus::failed,
                   fmt::format("given up: {} workers took it, and ended without a result",
                               claim_.earlier_claims));
    base::Diagnostics problems;
    auto prepared = prepare_run(request_, local_, problems);
    if (context_.run_signals.is_cancelled) return cancel();
    if (context_.signals.stops() || (prepared && context_.signals.drains()))
      return hand_back(false);
    if (!prepared)
      return is_trouble(problems) ? hand_back(true)
                                  : close(score::RunStatus::failed, sentence(problems));
    limit_budget(*prepared);
    return run(*prepared);
  }

 private:
  // What is left of the organisation's credits, besides what was charged for this run already.
  void limit_budget(Prepared& prepared) const {
    const auto& limits = context_.organisation.limits;
    if (!limits.credits) return;
    double most = std::max(0.0, *limits.credits - context_.organisation.spent);
    if (queued_after(run_) > 0) most += paid_for(prepared.runs.front().earlier);
    prepared.budget = std::min(prepared.budget.value_or(most), most);
  }

  WorkDone run(Prepared& prepared) {
    WatchedRun watcher(run_.id, context_);
    base::Diagnostics problems;
    const auto finished = run_suite(prepared, local_, context_.settings.version, watcher, problems);
    if (watcher.is_lost() || has(problems, Code::lease_lost)) return {};
    if (finished.empty()) return hand_back(true);
    const FinishedRun& done = finished.front();
    if (has(done.problems, Code::lease_lost)) return {};
    if (!done.is_kept) return hand_back(true);
    if (!score::is_finished(done.run.status)) return hand_back(false);
    changed();
    return {spent(done.results), false};
  }

  WorkDone cancel() {
    const auto results = local_.store->results(run_.id);
    if (!results) return hand_back(true);
    return close(score::RunStatus::cancelled, stopped_after(results->size(), run_.planned));
  }

  WorkDone close(score::RunStatus status, std::string error) {
    const auto closed = close_run(run_, status, std::move(error), local_);
    if (!closed && has(closed.error(), Code::lease_lost)) return {};
    if (!closed) return hand_back(true);
    changed();
    return {spent(*closed), false};
  }

  WorkDone hand_back(bool is_trouble) {
    // Where not even that can be written, the lease runs out, or the lock ends with the claim.
    const auto ignored = local_.store->hand_back(run_.id, context_.worker);
    changed();
    return {0, is_trouble || !ignored};
  }

  double spent(const std::vector<score::Result>& results) const {
    return paid_since_queued(run_, results, *local_.store).value_or(0);
  }

  void changed() { context_.watch.changed(context_.organisation.id, run_.id); }

  const store::Claim& claim_;
  const score::Run& run_;
  const WorkerContext& context_;
  Local& local_;
  RunRequest request_;
};

}  // namespace

void Signals::stop() {
  const std::lock_guard lock(mutex_);
  drains_ = stops_ = true;
  changed_.notify_all();
}

bool Signals::sleep(milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this] { return stops_.load(); });
}

base::Result<double> paid_since_queued(const score::Run& run, const std::vector<score::Result>& all,
                                       store::Store& store) {
  std::int64_t after = queued_after(run);
  if (after == 0) return paid_for(all);
  constexpr std::size_t kAtATime = 1000;
  for (double out = 0;;) {
    const auto arrivals = store.arrivals(run.id, after, kAtATime);
    if (!arrivals) return tl::unexpected(arrivals.error());
    if (arrivals->empty()) return out;
    for (const auto& arrival : *arrivals) out += paid_for(arrival.result);
    after = arrivals->back().number;
  }
}

store::Millis lease_end(const QueueSettings& settings) {
  return base::now_millis() + static_cast<store::Millis>(settings.lease * 1000);
}

WorkDone work_on(const store::Claim& claim, const WorkerContext& context) {
  return Working(claim, context).work();
}

}  // namespace vibe::app
