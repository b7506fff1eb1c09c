#include "fitness/decide.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"

namespace vibe::fitness {
namespace {

const DecisionRules kDecisionRules;

Rubric rubric() {
  Rubric out;
  out.aggregation = {.trim = 0.1, .weights = {1.0, 0.9, 0.8, 0.7, 0.6}};
  return out;
}

struct DecideCase {
  const char* name;
  double before, after;
  Reason reason;
  double delta;
};
class Decide : public testing::TestWithParam<DecideCase> {};

TEST_P(Decide, GoesByTheDifferenceInHundredths) {
  const auto& one = GetParam();
  const auto made = decide(one.before, one.after, kDecisionRules, 0);
  EXPECT_EQ(made.reason, one.reason);
  EXPECT_EQ(made.delta, one.delta);
  EXPECT_EQ(made.draw.has_value(), one.reason == Reason::exploration);
  EXPECT_EQ(made.accept, one.delta > 0);
  EXPECT_FALSE(made.probability_better);
}

INSTANTIATE_TEST_SUITE_P(
    Fitness, Decide,
    testing::Values(
        DecideCase{"above_five", 70, 75.01, Reason::significant_improvement, 5.01},
        DecideCase{"five", 70, 75, Reason::marginal_improvement, 5},
        DecideCase{"five_that_doubles_make_more", 71.54, 76.54, Reason::marginal_improvement, 5},
        DecideCase{"five_of_tenths", 0.1, 5.1, Reason::marginal_improvement, 5},
        DecideCase{"a_hundredth", 70, 70.01, Reason::marginal_improvement, 0.01},
        DecideCase{"none", 70, 70, Reason::exploration, 0},
        DecideCase{"less_than_a_hundredth", 70, 70.004, Reason::exploration, 0},
        DecideCase{"half_a_hundredth_rounds_away", 70, 70.005, Reason::marginal_improvement, 0.01},
        DecideCase{"a_small_loss", 70, 67.01, Reason::exploration, -2.99},
        DecideCase{"three_less", 70, 67, Reason::regression, -3},
        DecideCase{"three_less_of_tenths", 71.3, 68.3, Reason::regression, -3},
        DecideCase{"much_less", 90, 10, Reason::regression, -80},
        DecideCase{"large_figures", -1e12, 1e12, Reason::significant_improvement, 2e12}),
    [](const auto& one) { return one.param.name; });

TEST(DecideDraw, IsThatOfTheSeed) {
  for (const std::uint64_t seed :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{42}, ~std::uint64_t{0}}) {
    const auto made = decide(70, 69, kDecisionRules, seed);
    EXPECT_EQ(made.draw,
              static_cast<double>(base::SplitMix64(seed).next() >> 11) * std::ldexp(1, -53));
    EXPECT_EQ(made.accept, *made.draw < 0.2);
    EXPECT_EQ(made.seed, seed);
  }
  EXPECT_EQ(decide(70, 69, kDecisionRules, 0).draw, 0.8833108082136426);
}

TEST(DecideDraw, AcceptsAFifth) {
  int accepted = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed)
    accepted += decide(70, 69, kDecisionRules, seed).accept ? 1 : 0;
  EXPECT_NEAR(accepted, 2000, 120);
}

TEST(DecideDraw, ARuleOfTheRubricHolds) {
  EXPECT_TRUE(decide(70, 69, {.exploration = 1}, 0).accept);
  EXPECT_FALSE(decide(70, 69, {.exploration = 0}, 1).accept);
  EXPECT_EQ(decide(70, 72, {.significant = 1.5}, 0).reason, Reason::significant_improvement);
  EXPECT_EQ(decide(70, 69, {.tolerated = -0.5}, 0).reason, Reason::regression);
}

TEST(DecideReason, HasANameThatReadsBack) {
  for (const Reason one : {Reason::significant_improvement, Reason::marginal_improvement,
                           Reason::exploration, Reason::regression})
    EXPECT_EQ(reason(to_string(one)), one);
  EXPECT_FALSE(reason("luck"));
}

TEST(DecideSets, ComparesAggregates) {
  const std::vector<double> before{70, 72, 68}, after{80, 81, 79};
  const auto made = decide(before, after, rubric(), 5);
  EXPECT_EQ(made.reason, Reason::significant_improvement);
  EXPECT_NEAR(made.old_score, *aggregate_value(before, rubric().aggregation), 0.005);
  EXPECT_EQ(made.probability_better, 1.0);
  EXPECT_FALSE(made.within_noise);
}

// 77.615 is 77.62, and so 5 more than 72.62, however the sums of doubles come out.
TEST(DecideSets, RoundsAggregatesAsDecimals) {
  const std::vector<double> before{72.62}, after{89.14, 79.53, 72.88, 64.1};
  const auto made = decide(before, after, rubric(), 5);
  EXPECT_EQ(made.new_score, 77.62);
  EXPECT_EQ(made.delta, 5);
  EXPECT_EQ(made.reason, Reason::marginal_improvement);
}

TEST(DecideSets, NoProbabilityOfASingleScore) {
  const std::vector<double> one{70}, two{80, 81};
  EXPECT_FALSE(decide(one, two, rubric(), 5).probability_better);
  EXPECT_FALSE(decide(two, one, rubric(), 5).probability_better);
  EXPECT_TRUE(decide(two, two, rubric(), 5).probability_better);
}

TEST(DecideSets, TheSameFiguresAreEvens) {
  const std::vector<double> equal{80, 80, 80, 80, 80, 80};
  EXPECT_EQ(decide(equal, equal, rubric(), 5).probability_better, 0.5);
  const std::vector<double> mixed{80, 60, 75, 90, 71, 66};
  EXPECT_NEAR(*decide(mixed, mixed, rubric(), 5).probability_better, 0.5, 0.05);
}

TEST(DecideSets, ALargeDifferenceOfWildScoresIsWithinNoise) {
  const std::vector<double> before{20, 95, 30, 90, 55}, after{90, 40, 95, 35, 60};
  const auto made = decide(before, after, rubric(), 5);
  EXPECT_EQ(made.reason, Reason::significant_improvement);
  EXPECT_LT(*made.probability_better, kSureEnough);
  EXPECT_TRUE(made.within_noise);
}

TEST(DecideSets, ASeedRepeatsExactly) {
  const std::vector<double> before{70, 80, 60, 75}, after{72, 79, 66, 71};
  const auto one = decide(before, after, rubric(), 9), other = decide(before, after, rubric(), 9);
  EXPECT_EQ(one.probability_better, other.probability_better);
  EXPECT_EQ(one.draw, other.draw);
  EXPECT_NE(one.probability_better, decide(before, after, rubric(), 10).probability_better);
}

rc::Gen<double> a_score() {
  return rc::gen::map(rc::gen::inRange(0, 10001), [](int n) { return n / 100.0; });
}

int rank(Reason reason) { return -static_cast<int>(reason); }

RC_GTEST_PROP(DecideProperty, ABetterScoreIsNeverJudgedWorse, ()) {
  const double before = *a_score(), after = *a_score(), more = *a_score();
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto one = decide(before, after, kDecisionRules, seed);
  const auto better = decide(before, std::max(after, more), kDecisionRules, seed);
  RC_ASSERT(rank(better.reason) >= rank(one.reason));
  RC_ASSERT(better.accept || !one.accept);
}

RC_GTEST_PROP(DecideProperty, TheDeltaIsExactlyThatOfTheShownScores, ()) {
  const auto made = decide(*a_score(), *a_score(), kDecisionRules, 0);
  const auto hundredths = [](double x) { return std::llround(x * 100); };
  RC_ASSERT(hundredths(made.delta) == hundredths(made.new_score) - hundredths(made.old_score));
}

}  // namespace
}  // namespace vibe::fitness
