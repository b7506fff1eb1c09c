// Logistic: logistic regression of outcomes on figures, with weights that are not negative and a
// penalty chosen by cross-validation. Pure; the same input gives the same weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vibe::fitness {

// The figures of executions, row by row, and their outcomes: 1 is good.
struct Outcomes {
  std::size_t columns = 0;
  std::vector<double> rows;  // `columns` figures per outcome, all finite
  std::vector<std::uint8_t> good;

  std::size_t size() const { return good.size(); }
  std::span<const double> row(std::size_t i) const {
    return std::span(rows).subspan(i * columns, columns);
  }
};

struct Fit {
  std::vector<double> weights;  // none is negative
  double intercept = 0;
  double penalty = 0;
};

// Minimises Σ log-loss + penalty / 2 · Σ weight², which is strictly convex, by Newton steps: each
// goes to the minimum of the local quadratic within the bounds, shortened until the sum falls.
// `penalty` is above 0; `start` may be an earlier fit.
Fit fit_logistic(const Outcomes& outcomes, double penalty, const Fit* start = nullptr);

// The same, with the penalty from kPenalties that predicts held-out outcomes best.
inline constexpr double kPenalties[] = {30, 10, 3, 1, 0.3, 0.1, 0.03, 0.01};
inline constexpr std::size_t kFolds = 5;
Fit fit_cross_validated(const Outcomes& outcomes, std::uint64_t seed);

// The fold of each outcome: random by the seed, with equal shares of good and bad outcomes.
std::vector<std::size_t> folds(std::span<const std::uint8_t> good, std::size_t count,
                               std::uint64_t seed);

// The outcomes inside one fold, or outside it.
Outcomes part_of(const Outcomes& all, std::span<const std::size_t> fold, std::size_t which,
                 bool inside);

}  // namespace vibe::fitness
