#include "run/spending_limit.h"

#include <algorithm>

#include "score/score.h"

namespace vibe::run {

bool SpendingLimit::is_limited() const {
  const std::lock_guard lock(mutex_);
  return limit_.has_value();
}

SpendingLimit::Answer SpendingLimit::hold(double& dollars) {
  const std::lock_guard lock(mutex_);
  if (limit_) {
    dollars = std::max(dollars, most_expensive_.value_or(0));
    const double left = *limit_ - spent_;
    const auto is_more = [](double a, double b) { return a > b + score::kLeastDollars; };
    if (!is_more(left, 0) || is_more(dollars, left)) return Answer::no;
    if (is_more(dollars, left - held_) || (!most_expensive_ && holders_ > 0)) return Answer::later;
  }
  held_ += dollars;
  ++holders_;
  return Answer::yes;
}

void SpendingLimit::release(double dollars) {
  const std::lock_guard lock(mutex_);
  held_ = --holders_ == 0 ? 0 : held_ - dollars;  // rounding errors do not accumulate
}

void SpendingLimit::pay(double dollars) {
  const std::lock_guard lock(mutex_);
  spent_ += dollars;
}

void SpendingLimit::learn(double dollars) {
  const std::lock_guard lock(mutex_);
  most_expensive_ = std::max(most_expensive_.value_or(0), dollars);
}

void SpendingLimit::set_limit(std::optional<double> limit) {
  const std::lock_guard lock(mutex_);
  limit_ = limit;
}

}  // namespace vibe::run
