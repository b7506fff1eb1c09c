// Separation: how well a figure tells good outcomes from bad ones. Pure; O(n log n).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "score/interval.h"

namespace vibe::fitness {

// Of a good and a bad one drawn at random, the probability that the good one has more, where equal
// figures count half.
struct Auc {
  double value = 0;
  score::Interval interval;
};

// The interval is DeLong's on the logit scale. Where that says nothing or too much (figures that
// separate perfectly, a variance of 0, fewer than 2 of either outcome), it is that of a score test
// with the variance of Hanley and McNeil: five executions that agree make nothing certain. None
// where there is only one outcome. `outcomes` has a 1 for each good one.
std::optional<Auc> auc(std::span<const double> figures, std::span<const std::uint8_t> outcomes);

// By how much a second figure of the same executions separates better; DeLong's test of two
// correlated areas. None where there is only one outcome.
struct AucGain {
  double value = 0;
  score::Interval interval;
};
std::optional<AucGain> auc_gain(std::span<const double> before, std::span<const double> after,
                                std::span<const std::uint8_t> outcomes);

// Spearman's, equal figures having the mean of their ranks. None where either is constant.
std::optional<double> rank_correlation(std::span<const double> figures,
                                       std::span<const std::uint8_t> outcomes);

}  // namespace vibe::fitness
