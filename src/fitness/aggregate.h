// Aggregate: the scores of several executions → one figure: outliers left out, the newest weighing
// most, with an interval. Pure; the same input gives the same figure, everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fitness/rubric.h"

namespace vibe::fitness {

struct Interval {
  double low = 0, high = 0;  // 95 %
};

struct Aggregate {
  double value = 0;
  std::vector<double> weights;       // of each score, in the order given; 0: it did not count
  std::vector<bool> trimmed;         // left out as an outlier
  std::optional<Interval> interval;  // none below kLeastForInterval
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

// A sequence of numbers that a seed decides, the same on every machine.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double uniform();                      // 0 ≤ x < 1, of 53 bits
  std::size_t below(std::size_t count);  // 0 … count - 1, each as likely; count > 0

 private:
  std::uint64_t state_;
};

// Aggregates of what a bootstrap draws: as many executions as there are, with replacement, in their
// order of time, trimmed anew. Each draw takes time linear in the scores. `scores` are newest first
// and not empty.
class Resampler {
 public:
  Resampler(std::span<const double> scores, const Aggregation& rules);
  double draw(SplitMix64& random);

 private:
  std::span<const double> scores_;
  std::span<const double> weights_;
  std::size_t trim_;                             // how many are left out at either end
  std::vector<std::uint32_t> lowest_, highest_;  // in the order in which they are left out
  std::vector<std::uint32_t> counts_;            // how often each was drawn
};

// Of draws, or any other figures: that below which a share of them lies, with linear interpolation.
// `sorted` ascends and is not empty.
double percentile(std::span<const double> sorted, double share);

}  // namespace vibe::fitness
