// Purse: what several runs may spend together, such as an organisation's credits. What a request
// may cost is held before it is sent, what it did cost is paid. Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace vibe::run {

class Purse {
 public:
  // US dollars: what may be spent in all (none: any amount), and what was before.
  Purse(std::optional<double> limit, double spent) : limit_(limit), spent_(spent) {}

  bool is_limited() const;
  // `later`: not while others hold as much as they do, or nobody knows yet what an answer costs.
  // As much as the dearest answer of any run is held at least.
  enum class Answer : std::uint8_t { yes, later, no };
  Answer hold(double& dollars);
  void release(double dollars);  // what was held
  void pay(double dollars);
  void learn(double dollars);  // what an answer cost
  void set_limit(std::optional<double> limit);

 private:
  mutable std::mutex mutex_;
  std::optional<double> limit_;
  double spent_, held_ = 0;
  std::size_t holders_ = 0;
  std::optional<double> dearest_;
};

}  // namespace vibe::run
