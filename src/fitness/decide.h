// Decide: whether a changed agent is kept, from the scores before and after. What is between a
// small loss and no change is accepted now and then, by a draw that a seed repeats exactly. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fitness/aggregate.h"
#include "fitness/rubric.h"

namespace vibe::fitness {

enum class Reason : std::uint8_t {
  significant_improvement,
  marginal_improvement,
  exploration,
  regression
};
std::string_view to_string(Reason reason);
std::optional<Reason> reason(std::string_view name);

struct Decision {
  bool accept = false;
  Reason reason = Reason::regression;
  double old_score = 0, new_score = 0, delta = 0;  // of two decimals, exactly
  std::uint64_t seed = 0;
  std::optional<double> draw;                // where chance decided
  std::optional<double> probability_better;  // of sets of executions
  // The change is above `significant`, and yet the probability is below kSureEnough: chance alone
  // could well have made it.
  bool within_noise = false;
};
inline constexpr double kSureEnough = 0.95;

// Scores between which a difference in hundredths is exact; what is beyond, or not a number, is for
// the caller to refuse.
inline constexpr double kMostScore = 1e12;

Decision decide(double old_score, double new_score, const DecisionRules& rules, std::uint64_t seed);

// Of two sets, newest first, neither empty: their aggregates are compared. The probability is that
// of a bootstrap of the difference of aggregates, of which a difference of 0.00 counts half; none
// where either set has a single score.
Decision decide(std::span<const double> old_scores, std::span<const double> new_scores,
                const Rubric& rubric, std::uint64_t seed);

// How probable it is that the second set is better, as above; also for a comparison of versions.
std::optional<double> probability_better(std::span<const double> old_scores,
                                         std::span<const double> new_scores,
                                         const Aggregation& rules, std::uint64_t seed);

}  // namespace vibe::fitness
