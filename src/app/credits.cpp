#include "app/credits.h"

#include "app/run_parameters.h"

namespace vibe::app {

base::Result<void> Credits::charge(const std::string& organisation, const score::Run& run,
                                   double dollars) {
  if (dollars <= 0) return {};
  const auto directory = tenants_.directory();
  if (!directory) return tl::unexpected(directory.error());
  return (*directory)->charge(organisation, {run.id, queued_after(run)}, dollars);
}

base::Result<std::shared_ptr<run::Purse>> Credits::purse(const std::string& organisation) {
  const auto directory = tenants_.directory();
  if (!directory) return tl::unexpected(directory.error());
  const std::lock_guard lock(mutex_);
  const auto found = (*directory)->organisation(organisation);
  if (!found) return tl::unexpected(found.error());
  if (!*found || !(*found)->limits.credits) return nullptr;
  const double credits = *(*found)->limits.credits;
  Shared& shared = purses_[organisation];
  auto purse = shared.purse.lock();
  if (purse) {
    purse->add(credits - shared.credits);  // they may have been changed meanwhile
  } else {
    purse = std::make_shared<run::Purse>(credits - (*found)->spent);
    shared.purse = purse;
  }
  shared.credits = credits;
  return purse;
}

double paid_for(const score::Result& result) {
  return result.from_cache ? 0 : result.cost.value_or(0) + result.judge_cost.value_or(0);
}

base::Result<double> paid_since_queued(const score::Run& run, const std::vector<score::Result>& all,
                                       store::Store& store) {
  double out = 0;
  std::int64_t after = queued_after(run);
  if (after == 0) {
    for (const auto& result : all) out += paid_for(result);
    return out;
  }
  constexpr std::size_t kAtATime = 1000;
  while (true) {
    const auto arrivals = store.arrivals(run.id, after, kAtATime);
    if (!arrivals) return tl::unexpected(arrivals.error());
    if (arrivals->empty()) return out;
    for (const auto& arrival : *arrivals) out += paid_for(arrival.result);
    after = arrivals->back().number;
  }
}

}  // namespace vibe::app
