// Exact tests of a difference, of any formula. Under "the change changes nothing", it does not
// matter which run gave an answer: deal the answers again, and count how often the difference is at
// least as large. Pure: the same result for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "statistics/parallel.h"
#include "statistics/pool.h"

namespace vibe::statistics {

inline constexpr std::size_t kShuffles = 9'999;
inline constexpr std::size_t kMostAssignments = 20'000;  // with at most as many, all are looked at

struct Test {
  double p = 1, p_up = 1, p_down = 1;  // two-sided; the candidate's score is higher; it is lower
  std::size_t count = 0;               // assignments that were looked at
  bool is_complete = false;            // these are all
};

// In each question, deals the answers of both runs again: is it the same on these evals?
Test label_test(const Pool& pool, std::uint64_t seed, std::size_t shuffles,
                const Parallel& parallel);
// In each eval, exchanges the answers of the runs as a whole: is it the same on other evals like
// these?
Test swap_test(const Pool& pool, std::uint64_t seed, std::size_t shuffles,
               const Parallel& parallel);

// Of passes, if each question has one answer in either run: `wins` passed in the candidate alone,
// `losses` in the base alone.
struct McNemar {
  double exact = 1, mid = 1;
};
McNemar mcnemar(std::size_t wins, std::size_t losses);

// Adjusts p-values of several tests, so that a false alarm among all of them is as rare as in one.
std::vector<double> holm(std::span<const double> p_values);

}  // namespace vibe::statistics
