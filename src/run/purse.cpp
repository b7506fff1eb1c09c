#include "run/purse.h"

#include <algorithm>

#include "score/score.h"

namespace vibe::run {

bool Purse::is_limited() const {
  const std::lock_guard lock(mutex_);
  return limit_.has_value();
}

Purse::Answer Purse::hold(double& dollars) {
  const std::lock_guard lock(mutex_);
  if (limit_) {
    dollars = std::max(dollars, dearest_.value_or(0));
    const double left = *limit_ - spent_;
    const auto is_more = [](double a, double b) { return a > b + score::kLeastDollars; };
    if (!is_more(left, 0) || is_more(dollars, left)) return Answer::no;
    if (is_more(dollars, left - held_) || (!dearest_ && holders_ > 0)) return Answer::later;
  }
  held_ += dollars;
  ++holders_;
  return Answer::yes;
}

void Purse::release(double dollars) {
  const std::lock_guard lock(mutex_);
  held_ = --holders_ == 0 ? 0 : held_ - dollars;  // what was rounded does not add up
}

void Purse::pay(double dollars) {
  const std::lock_guard lock(mutex_);
  spent_ += dollars;
}

void Purse::learn(double dollars) {
  const std::lock_guard lock(mutex_);
  dearest_ = std::max(dearest_.value_or(0), dollars);
}

void Purse::set_limit(std::optional<double> limit) {
  const std::lock_guard lock(mutex_);
  limit_ = limit;
}

}  // namespace vibe::run
