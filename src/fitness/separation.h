// Separation: how well a figure separates good outcomes from bad ones. Pure; O(n log n).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "score/interval.h"

namespace vibe::fitness {

// The probability that a random good execution has a higher figure than a random bad one; equal
// figures count half.
struct Auc {
  double value = 0;
  score::Interval interval;
};

// The interval is DeLong's on the logit scale. If that is undefined or too narrow (figures that
// separate perfectly, a variance of 0, fewer than 2 of either outcome), it comes from a score test
// with the variance of Hanley and McNeil: five executions that agree prove little. None if there is
// only one outcome. `outcomes` has a 1 for each good one.
std::optional<Auc> auc(std::span<const double> figures, std::span<const std::uint8_t> outcomes);

// How much better a second figure of the same executions separates; DeLong's test of two correlated
// areas. None if there is only one outcome.
struct AucGain {
  double value = 0;
  score::Interval interval;
};
std::optional<AucGain> auc_gain(std::span<const double> before, std::span<const double> after,
                                std::span<const std::uint8_t> outcomes);

// Spearman's rank correlation; equal figures get the mean of their ranks. None if either is
// constant.
std::optional<double> rank_correlation(std::span<const double> figures,
                                       std::span<const std::uint8_t> outcomes);

}  // namespace vibe::fitness
