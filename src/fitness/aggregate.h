// Aggregate: the scores of several executions → one figure: outliers left out, the newest weighing
// most, with an interval. Pure; the same input gives the same figure, everywhere.
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
  std::vector<double> weights;  // of each score, in the order given; 0: it did not count
  std::vector<bool> trimmed;    // left out as an outlier
  std::optional<score::Interval> interval;  // none below kLeastForInterval
};
inline constexpr std::size_t kLeastForInterval = 3, kResamples = 2000;
inline constexpr std::uint64_t kAggregateSeed = 1;

// `scores` are newest first. None without a score.
std::optional<Aggregate> aggregate(std::span<const double> scores, const Aggregation& rules);
// The value alone.
std::optional<double> aggregate_value(std::span<const double> scores, const Aggregation& rules);

// The order in which executions are aggregated: places in `ended`, the newest first. Of equal times
// the later argument is newer; one without a time keeps the place that its argument gives it, a
// later argument being newer.
std::vector<std::size_t> newest_first(std::span<const std::optional<std::int64_t>> ended);

// Aggregates of what a bootstrap draws: as many executions as there are, with replacement, in their
// order of time, trimmed anew. Each draw takes time linear in the scores. `scores` are newest first
// and not empty.
class Resampler {
 public:
  Resampler(std::span<const double> scores, const Aggregation& rules);
  double draw(base::SplitMix64& random);

 private:
  std::span<const double> scores_;
  std::span<const double> weights_;
  std::size_t trim_;                             // how many are left out at either end
  std::vector<std::uint32_t> lowest_, highest_;  // in the order in which they are left out
  std::vector<std::uint32_t> counts_;            // how often each was drawn
};

}  // namespace vibe::fitness
