// SpendingLimit: a limit that several runs share, such as an organisation's credits. The worst case
// of a request is held before it is sent, its real cost is paid afterwards. Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace vibe::run {

class SpendingLimit {
 public:
  // US dollars: the limit (none: unlimited), and what was spent before.
  SpendingLimit(std::optional<double> limit, double spent) : limit_(limit), spent_(spent) {}

  bool is_limited() const;
  // `later`: others hold too much now, or the cost of an answer is not known yet. Holds at least
  // the cost of the most expensive answer of any run.
  enum class Answer : std::uint8_t { yes, later, no };
  Answer hold(double& dollars);
  void release(double dollars);  // the held amount
  void pay(double dollars);
  void learn(double dollars);  // the cost of an answer
  void set_limit(std::optional<double> limit);

 private:
  mutable std::mutex mutex_;
  std::optional<double> limit_;
  double spent_, held_ = 0;
  std::size_t holders_ = 0;
  std::optional<double> most_expensive_;
};

}  // namespace vibe::run
