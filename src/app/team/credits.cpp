#include "app/team/credits.h"

namespace vibe::app {

base::Result<double> Credits::add(const std::string& organisation, const store::Charged& what,
                                  double dollars) {
  if (dollars <= 0) return 0;
  const auto accounts = tenants_.accounts();
  if (!accounts) return tl::unexpected(accounts.error());
  return (*accounts)->charge(organisation, what, dollars);
}

base::Result<void> Credits::charge(const std::string& organisation, const store::Charged& what,
                                   double dollars) {
  if (auto added = add(organisation, what, dollars); !added)
    return tl::unexpected(std::move(added.error()));
  return {};
}

base::Result<void> Credits::charge_earlier(const std::string& organisation,
                                           const store::Charged& what, double dollars) {
  const std::lock_guard lock(mutex_);
  auto added = add(organisation, what, dollars);
  if (!added) return tl::unexpected(std::move(added.error()));
  if (const auto purse = purses_[organisation].lock()) purse->pay(*added);
  return {};
}

base::Result<std::shared_ptr<run::Purse>> Credits::purse(const std::string& organisation) {
  const std::lock_guard lock(mutex_);
  auto purse = purses_[organisation].lock();
  if (purse) return purse;
  const auto accounts = tenants_.accounts();
  if (!accounts) return tl::unexpected(accounts.error());
  const auto balance = (*accounts)->balance(organisation);
  if (!balance) return tl::unexpected(balance.error());
  purse = std::make_shared<run::Purse>(balance->credits, balance->spent);
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

base::Result<double> paid_since_queued(const store::Claim& claim,
                                       const std::vector<score::Result>& all, store::Feed& feed) {
  double out = 0;
  std::int64_t after = claim.queued_after;
  if (after == 0) {
    for (const auto& result : all) out += result.paid;
    return out;
  }
  constexpr std::size_t kAtATime = 1000;
  while (true) {
    const auto arrivals = feed.arrivals(claim.run.id, after, kAtATime);
    if (!arrivals) return tl::unexpected(arrivals.error());
    if (arrivals->empty()) return out;
    for (const auto& arrival : *arrivals) out += arrival.result.paid;
    after = arrivals->back().number;
  }
}

}  // namespace vibe::app
