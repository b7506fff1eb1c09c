// Decide: whether to keep a changed agent, from the scores before and after. A change between a
// small loss and zero is sometimes accepted, by a random draw that a seed makes repeatable. Pure.
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
  double old_score = 0, new_score = 0, delta = 0;  // exact to two decimals
  std::uint64_t seed = 0;
  std::optional<double> draw;                // only if chance decided
  std::optional<double> probability_better;  // only for sets of executions
  // The change is above `significant`, but the probability is below kSureEnough: it may be due to
  // chance.
  bool within_noise = false;
};
inline constexpr double kSureEnough = 0.95;

// Up to this score, differences in hundredths are exact. Callers must reject larger scores and NaN.
inline constexpr double kMostScore = 1e12;

Decision decide(double old_score, double new_score, const DecisionRules& rules, std::uint64_t seed);

// Compares the aggregates of two sets, newest first, neither empty. The probability comes from a
// bootstrap of the difference of aggregates, where a difference of 0.00 counts half; none if either
// set has a single score.
Decision decide(std::span<const double> old_scores, std::span<const double> new_scores,
                const Rubric& rubric, std::uint64_t seed);

// The probability that the second set is better, as above; also used to compare versions.
std::optional<double> probability_better(std::span<const double> old_scores,
                                         std::span<const double> new_scores,
                                         const Aggregation& rules, std::uint64_t seed);

}  // namespace vibe::fitness
