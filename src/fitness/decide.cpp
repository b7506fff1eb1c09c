#include "fitness/decide.h"

#include <array>
#include <cmath>

#include "base/random.h"
#include "formula/arithmetic.h"

namespace vibe::fitness {

namespace {

constexpr std::array<std::string_view, 4> kReasons{
    "significant_improvement", "marginal_improvement", "exploration", "regression"};

// A whole number of hundredths, as a double: exact up to kMostScore.
double hundredths(double score) {
  return std::round(formula::arithmetic::round_decimal(score, 2) * 100);
}

// Faster, for bootstrap draws, which do not need the exact decimal.
double near_hundredths(double score) { return std::round(score * 100); }

// Separate from the stream of the decision itself, which uses the seed's first number.
base::SplitMix64 bootstrap_stream(std::uint64_t seed) {
  return base::SplitMix64(base::SplitMix64(seed ^ 0x626F6F7473747261u).next());
}

}  // namespace

std::string_view to_string(Reason reason) { return kReasons[static_cast<std::size_t>(reason)]; }

std::optional<Reason> reason(std::string_view name) {
  for (std::size_t i = 0; i < kReasons.size(); ++i)
    if (kReasons[i] == name) return static_cast<Reason>(i);
  return std::nullopt;
}

Decision decide(double old_score, double new_score, const DecisionRules& rules,
                std::uint64_t seed) {
  const double before = hundredths(old_score), after = hundredths(new_score);
  Decision out;
  // A quotient of whole numbers is the double nearest to the decimal, and so are the bounds, so
  // they compare exactly. Adding 0.0 removes the sign of a zero.
  out.old_score = before / 100 + 0.0;
  out.new_score = after / 100 + 0.0;
  out.delta = (after - before) / 100;
  out.seed = seed;
  if (out.delta > rules.significant) {
    out.reason = Reason::significant_improvement;
    out.accept = true;
  } else if (out.delta > 0) {
    out.reason = Reason::marginal_improvement;
    out.accept = true;
  } else if (out.delta > rules.tolerated) {
    out.reason = Reason::exploration;
    out.draw = base::SplitMix64(seed).uniform();
    out.accept = *out.draw < rules.exploration;
  }
  return out;
}

std::optional<double> probability_better(std::span<const double> old_scores,
                                         std::span<const double> new_scores,
                                         const Aggregation& rules, std::uint64_t seed) {
  if (old_scores.size() < 2 || new_scores.size() < 2) return std::nullopt;
  Resampler before(old_scores, rules), after(new_scores, rules);
  base::SplitMix64 random = bootstrap_stream(seed);
  std::size_t halves = 0;
  for (std::size_t i = 0; i < kResamples; ++i) {
    const double old_one = near_hundredths(before.draw(random));
    const double new_one = near_hundredths(after.draw(random));
    halves += new_one > old_one ? 2 : new_one == old_one ? 1 : 0;
  }
  return static_cast<double>(halves) / (2.0 * kResamples);
}

Decision decide(std::span<const double> old_scores, std::span<const double> new_scores,
                const Rubric& rubric, std::uint64_t seed) {
  const auto before = aggregate_value(old_scores, rubric.aggregation);
  const auto after = aggregate_value(new_scores, rubric.aggregation);
  Decision out = decide(before.value(), after.value(), rubric.decision, seed);
  out.probability_better = probability_better(old_scores, new_scores, rubric.aggregation, seed);
  out.within_noise =
      out.delta > rubric.decision.significant && out.probability_better.value_or(1) < kSureEnough;
  return out;
}

}  // namespace vibe::fitness
