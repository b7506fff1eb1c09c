#include "run/purse.h"

namespace vibe::run {

Purse::Answer Purse::hold(double dollars) {
  const std::lock_guard lock(mutex_);
  if (left_ <= 0 || dollars > left_) return Answer::no;
  if (dollars > left_ - held_) return Answer::later;
  held_ += dollars;
  ++holders_;
  return Answer::yes;
}

void Purse::release(double dollars) {
  const std::lock_guard lock(mutex_);
  held_ = --holders_ == 0 ? 0 : held_ - dollars;  // what was rounded does not add up
}

void Purse::pay(double dollars) { add(-dollars); }

void Purse::add(double dollars) {
  const std::lock_guard lock(mutex_);
  left_ += dollars;
}

}  // namespace vibe::run
