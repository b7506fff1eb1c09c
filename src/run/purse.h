// Purse: what several runs may spend together, such as the rest of an organisation's credits. What
// a request may cost is held before it is sent, what it did cost is paid. Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace vibe::run {

class Purse {
 public:
  explicit Purse(double dollars) : left_(dollars) {}

  // `later`: not while others hold as much as they do.
  enum class Answer : std::uint8_t { yes, later, no };
  Answer hold(double dollars);
  void release(double dollars);  // what was held
  void pay(double dollars);
  void add(double dollars);  // less than nothing: takes away

 private:
  std::mutex mutex_;
  double left_, held_ = 0;
  std::size_t holders_ = 0;
};

}  // namespace vibe::run
