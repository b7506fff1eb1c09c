#include "app/credits.h"

#include "app/run_parameters.h"

namespace vibe::app {

base::Result<double> Credits::add(const std::string& organisation, const score::Run& run,
                                  double dollars) {
  if (dollars <= 0) return 0;
  const auto directory = tenants_.directory();
  if (!directory) return tl::unexpected(directory.error());
  return (*directory)->charge(organisation, {run.id, queued_after(run)}, dollars);
}

base::Result<void> Credits::charge(const std::string& organisation, const score::Run& run,
                                   double dollars) {
  if (auto added = add(organisation, run, dollars); !added)
    return tl::unexpected(std::move(added.error()));
  return {};
}

base::Result<void> Credits::charge_earlier(const std::string& organisation, const score::Run& run,
                                           double dollars) {
  const std::lock_guard lock(mutex_);
  auto added = add(organisation, run, dollars);
  if (!added) return tl::unexpected(std::move(added.error()));
  if (const auto purse = purses_[organisation].lock()) purse->pay(*added);
  return {};
}

base::Result<std::shared_ptr<run::Purse>> Credits::purse(const std::string& organisation) {
  const std::lock_guard lock(mutex_);
  auto purse = purses_[organisation].lock();
  if (purse) return purse;
  const auto directory = tenants_.directory();
  if (!directory) return tl::unexpected(directory.error());
  const auto found = (*directory)->organisation(organisation);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return base::fail(base::Code::not_found, {}, "the organisation is gone");
  purse = std::make_shared<run::Purse>((*found)->limits.credits, (*found)->spent);
  purses_[organisation] = purse;
  return purse;
}

void Credits::note(const store::Organisation& organisation) {
  const std::lock_guard lock(mutex_);
  const auto found = purses_.find(organisation.id);
  if (found == purses_.end()) return;
  if (const auto purse = found->second.lock())
    purse->set_limit(organisation.limits.credits);
  else
    purses_.erase(found);
}

base::Result<double> paid_since_queued(const score::Run& run, const std::vector<score::Result>& all,
                                       store::Store& store) {
  double out = 0;
  std::int64_t after = queued_after(run);
  if (after == 0) {
    for (const auto& result : all) out += result.paid;
    return out;
  }
  constexpr std::size_t kAtATime = 1000;
  while (true) {
    const auto arrivals = store.arrivals(run.id, after, kAtATime);
    if (!arrivals) return tl::unexpected(arrivals.error());
    if (arrivals->empty()) return out;
    for (const auto& arrival : *arrivals) out += arrival.result.paid;
    after = arrivals->back().number;
  }
}

}  // namespace vibe::app
