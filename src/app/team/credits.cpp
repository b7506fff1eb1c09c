#include "app/team/credits.h"

namespace vibe::app {

base::Result<double> Credits::add(const std::string& organisation, const store::Charged& what,
                                  double dollars) {
  if (dollars <= 0) return 0;
  VIBE_TRY(const auto accounts, tenants_.accounts());
  return accounts->charge(organisation, what, dollars);
}

base::Result<void> Credits::charge(const std::string& organisation, const store::Charged& what,
                                   double dollars) {
  VIBE_TRY(add(organisation, what, dollars));
  return {};
}

base::Result<void> Credits::charge_earlier(const std::string& organisation,
                                           const store::Charged& what, double dollars) {
  const std::lock_guard lock(mutex_);
  VIBE_TRY(auto added, add(organisation, what, dollars));
  if (const auto spending_limit = limits_[organisation].lock()) spending_limit->pay(added);
  return {};
}

base::Result<std::shared_ptr<run::SpendingLimit>> Credits::spending_limit(
    const std::string& organisation) {
  const std::lock_guard lock(mutex_);
  auto spending_limit = limits_[organisation].lock();
  if (spending_limit) return spending_limit;
  VIBE_TRY(const auto accounts, tenants_.accounts());
  VIBE_TRY(const auto balance, accounts->balance(organisation));
  spending_limit = std::make_shared<run::SpendingLimit>(balance.credits, balance.spent);
  limits_[organisation] = spending_limit;
  return spending_limit;
}

void Credits::note(const store::Organisation& organisation) {
  const std::lock_guard lock(mutex_);
  const auto found = limits_.find(organisation.id);
  if (found == limits_.end()) return;
  if (const auto spending_limit = found->second.lock())
    spending_limit->set_limit(organisation.limits.credits);
  else
    limits_.erase(found);
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
    VIBE_TRY(const auto arrivals, feed.arrivals(claim.run.id, after, kAtATime));
    if (arrivals.empty()) return out;
    for (const auto& arrival : arrivals) out += arrival.result.paid;
    after = arrivals.back().number;
  }
}

}  // namespace vibe::app
