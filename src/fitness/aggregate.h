// Aggregate: the scores of several executions → one figure with an interval. Outliers are left out,
// and the newest scores weigh most. Pure; the same input gives the same figure on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "fitness/rubric.h"
#include "score/interval.h"

namespace vibe::fitness {

struct Aggregate {
  double value = 0;
  std::vector<double> weights;              // of each score, in the given order; 0: not counted
  std::vector<bool> trimmed;                // left out as an outlier
  std::optional<score::Interval> interval;  // none below kLeastForInterval
};
inline constexpr std::size_t kLeastForInterval = 3, kResamples = 2000;
inline constexpr std::uint64_t kAggregateSeed = 1;

// `scores` are newest first. None if there are no scores.
std::optional<Aggregate> aggregate(std::span<const double> scores, const Aggregation& rules);
// Only the value.
std::optional<double> aggregate_value(std::span<const double> scores, const Aggregation& rules);

// The order in which executions are aggregated: indexes into `ended`, the newest first. At equal
// times the later argument is newer; an execution without a time keeps its argument's position.
std::vector<std::size_t> newest_first(std::span<const std::optional<std::int64_t>> ended);

// Aggregates of bootstrap draws: each draw takes as many executions as there are, with replacement,
// keeps their order in time, and trims again. Each draw takes time linear in the scores. `scores`
// are newest first and not empty.
class Resampler {
 public:
  Resampler(std::span<const double> scores, const Aggregation& rules);
  double draw(base::SplitMix64& random);

 private:
  std::span<const double> scores_;
  std::span<const double> weights_;
  std::size_t trim_;                             // number left out at either end
  std::vector<std::uint32_t> lowest_, highest_;  // in the order in which they are left out
  std::vector<std::uint32_t> counts_;            // how often each was drawn
};

}  // namespace vibe::fitness
