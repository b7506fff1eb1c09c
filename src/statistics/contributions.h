// Contributions: what each eval, or each aggregate of the formula, adds to a difference of scores:
// its Shapley value, the mean over all orders in which the parts may pass from the base's to the
// candidate's. Their sum is the difference. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "statistics/pool.h"

namespace vibe::statistics {

struct Contribution {
  std::uint32_t part = 0;  // an eval's place in the design, or an input of the program
  double value = 0;
  double error = 0;                // standard error; 0: exact
  double base = 0, candidate = 0;  // the values of an aggregate
};

// Of the evals that the formula uses, in order. None if a score on the way is undefined, or if it
// would take minutes.
std::optional<std::vector<Contribution>> eval_contributions(const Pool& pool, std::uint64_t seed);
// Of the aggregates whose values differ, from left to right.
std::optional<std::vector<Contribution>> term_contributions(const Pool& pool, std::uint64_t seed);

}  // namespace vibe::statistics
