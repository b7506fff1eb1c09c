#include "fitness/calibrate.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "fitness/logistic.h"
#include "fitness/rubrics.h"
#include "fitness/score.h"

namespace vibe::fitness {
namespace {

constexpr Signal kOfDefault[] = {Signal::tool_success_rate, Signal::output_quality,
                                 Signal::efficiency, Signal::error_rate, Signal::structure_score};

struct Made {
  std::vector<double> weights;  // of the terms of the default rubric
  double slope = 25;
  std::size_t count = 2000;
  std::uint64_t seed = 1;
  double missing = 0;  // the share of executions without tools
};

std::vector<Labelled> make(const Made& how, const Rubric& rubric = default_rubric()) {
  base::SplitMix64 random(how.seed);
  std::vector<Labelled> out;
  for (std::size_t i = 0; i < how.count; ++i) {
    Labelled one;
    double sum = 0;
    for (std::size_t j = 0; j < std::size(kOfDefault); ++j) {
      const double value = random.uniform();
      one.signals[static_cast<std::size_t>(kOfDefault[j])].value = value;
      sum += how.weights[j] * (kOfDefault[j] == Signal::error_rate ? 1 - value : value);
    }
    one.good = random.uniform() < 1 / (1 + std::exp(-how.slope * (sum - 0.5)));
    if (random.uniform() < how.missing)
      one.signals[static_cast<std::size_t>(Signal::tool_success_rate)] = {{}, "no tool calls", {}};
    one.score = score(one.signals, rubric).score;
    out.push_back(std::move(one));
  }
  return out;
}

double sum_of_weights(const Calibration& found) {
  double sum = 0;
  for (const auto& term : found.terms) sum += term.after;
  return sum;
}

TEST(Calibrate, FindsKnownWeights) {
  for (const auto& weights : std::vector<std::vector<double>>{{0.1, 0.2, 0.1, 0.5, 0.1},
                                                              {0.35, 0.25, 0.20, 0.15, 0.05}}) {
    const auto found = calibrate(make({.weights = weights}), default_rubric());
    ASSERT_EQ(found.terms.size(), 5u) << found.why_not;
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_NEAR(found.terms[j].after, weights[j], 0.05) << found.terms[j].expr;
      EXPECT_TRUE(found.terms[j].fitted);
    }
    EXPECT_NEAR(sum_of_weights(found), 1, 1e-12);
  }
}

TEST(Calibrate, ABetterRubricIsWorthWhatItSays) {
  const Made how{.weights = {0.05, 0.05, 0.05, 0.8, 0.05}, .count = 600};
  const auto found = calibrate(make(how), default_rubric());
  ASSERT_TRUE(found.gain);
  EXPECT_GT(found.gain->value, 0.05);
  EXPECT_FALSE(found.gain_within_noise());
  EXPECT_DOUBLE_EQ(found.gain->value, *found.auc_after - *found.auc_before);
  // executions that had no part in it have the same gain, within its interval
  const Rubric proposed = rubric_of("formula: " + found.formula);
  Made later = how;
  later.seed = 99;
  const auto before = calibrate(make(later), default_rubric());
  const auto after = calibrate(make(later, proposed), proposed);
  const double gain = after.separations[0].auc->value - before.separations[0].auc->value;
  EXPECT_GE(gain, found.gain->interval.low - 0.02);
  EXPECT_LE(gain, found.gain->interval.high + 0.02);
}

TEST(Calibrate, WhereTheWeightsAreRightThereIsNothingToGain) {
  const auto found =
      calibrate(make({.weights = {0.35, 0.25, 0.20, 0.15, 0.05}, .slope = 10, .count = 300}),
                default_rubric());
  EXPECT_TRUE(found.gain_within_noise());
}

TEST(Calibrate, TellsNoiseFromSignals) {
  const auto found =
      calibrate(make({.weights = {1, 0, 0, 0, 0}, .slope = 12, .count = 500}), default_rubric());
  ASSERT_EQ(found.separations.size(), 1 + kSignals.size());
  EXPECT_EQ(found.separations[0].name, "score");
  const auto& tools = found.separations[1];
  EXPECT_EQ(tools.name, "tool_success_rate");
  EXPECT_GT(tools.auc->interval.low, 0.8);
  EXPECT_GT(*tools.rank_correlation, 0.5);
  const auto& structure = found.separations.back();
  EXPECT_EQ(structure.name, "structure_score");
  EXPECT_LT(structure.auc->interval.low, 0.5);
  EXPECT_GT(structure.auc->interval.high, 0.5);
  const auto& unknown = found.separations[2];  // completeness, of which no execution tells
  EXPECT_EQ(unknown.count, 0u);
  EXPECT_FALSE(unknown.auc || unknown.rank_correlation);
}

TEST(Calibrate, MoreErrorsAreWorse) {
  const auto found =
      calibrate(make({.weights = {0, 0, 0, 1, 0}, .slope = 12, .count = 300}), default_rubric());
  EXPECT_LT(found.separations[9].auc->interval.high, 0.5);
  EXPECT_EQ(found.separations[9].name, "error_rate");
  EXPECT_GT(found.terms[3].after, 0.8);
}

TEST(Calibrate, NeedsTenOfEitherOutcome) {
  auto executions = make({.weights = {0.2, 0.2, 0.2, 0.2, 0.2}, .count = 400});
  std::vector<Labelled> few;
  std::size_t bad = 0;
  for (auto& one : executions)
    if (one.good || ++bad <= 9) few.push_back(one);
  const auto found = calibrate(few, default_rubric());
  EXPECT_TRUE(found.terms.empty() && found.formula.empty() && !found.gain);
  EXPECT_EQ(found.bad, 9u);
  EXPECT_NE(found.why_not.find("at least 10 good and 10 bad outcomes"), std::string::npos);
  EXPECT_TRUE(found.separations[0].auc);
  EXPECT_FALSE(calibrate({}, default_rubric()).separations[0].auc);
}

TEST(Calibrate, AMissingTermIsFilledInWithTheMeanForTheFit) {
  const Made how{.weights = {0.3, 0.2, 0.2, 0.2, 0.1}, .missing = 0.2};
  const auto found = calibrate(make(how), default_rubric());
  EXPECT_EQ(found.fitted_on, 2000u);
  EXPECT_NEAR(static_cast<double>(found.with_gaps), 400, 60);
  for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(found.terms[j].after, how.weights[j], 0.06) << j;
}

// A term of which only the executions of one fold tell: the weights that score them know nothing of
// it, not even its mean, and leave it as it is.
TEST(Calibrate, NothingOfAFoldIsInTheWeightsThatScoreIt) {
  auto executions = make({.weights = {0.5, 0.5, 0, 0, 0}, .slope = 1, .count = 200});
  std::vector<std::uint8_t> good;
  for (const auto& one : executions) good.push_back(one.good ? 1 : 0);
  const auto fold = folds(good, kFolds, kCalibrationSeed);
  for (std::size_t i = 0; i < executions.size(); ++i) {
    auto& tells = executions[i].signals[static_cast<std::size_t>(Signal::efficiency)];
    tells = fold[i] == 0 ? SignalValue{good[i] != 0 ? 5.0 : -5.0, "", {}}
                         : SignalValue{{}, "no times", {}};
  }
  const auto found = calibrate(executions, default_rubric());
  ASSERT_TRUE(found.auc_after) << found.why_not;
  EXPECT_GT(*found.auc_after, 0.68);  // 0.58, were its mean known
}

TEST(Calibrate, AnExecutionWithoutAScoreIsLeftOut) {
  const Rubric strict = rubric_of("undefined: error");
  const auto found = calibrate(
      make({.weights = {0.3, 0.2, 0.2, 0.2, 0.1}, .count = 400, .missing = 0.2}, strict), strict);
  EXPECT_LT(found.fitted_on, 380u);
  EXPECT_EQ(found.with_gaps, 0u);
}

TEST(Calibrate, WhatNeverChangesKeepsItsWeight) {
  auto executions = make({.weights = {0.5, 0, 0, 0.5, 0}, .count = 500});
  for (auto& one : executions) {
    one.signals[static_cast<std::size_t>(Signal::structure_score)].value = 0.7;
    one.signals[static_cast<std::size_t>(Signal::efficiency)] = {{}, "no times", {}};
  }
  const auto found = calibrate(executions, default_rubric());
  EXPECT_EQ(found.terms[2].after, 0.2);
  EXPECT_FALSE(found.terms[2].fitted);
  EXPECT_EQ(found.terms[4].after, 0.05);
  EXPECT_FALSE(found.terms[4].fitted);
  EXPECT_EQ(found.with_gaps, 0u) << "what is not fitted is not filled in";
  EXPECT_NEAR(found.terms[0].after, 0.375, 0.05);
  EXPECT_NEAR(sum_of_weights(found), 1, 1e-12);
}

TEST(Calibrate, TheFormulaIsThatOfTheRubricWithOtherWeights) {
  const auto executions = make({.weights = {0.35, 0.25, 0.20, 0.15, 0.05}, .count = 500});
  const auto found = calibrate(executions, default_rubric());
  EXPECT_EQ(found.formula.find("round(100 * (0."), 0u) << found.formula;
  EXPECT_NE(found.formula.find(" * (1 - error_rate)"), std::string::npos) << found.formula;
  EXPECT_NE(found.formula.find(", 2)"), std::string::npos) << found.formula;
  const Rubric proposed = rubric_of("formula: " + found.formula);
  ASSERT_TRUE(proposed.sum);
  for (const auto& one : proposed.sum->terms) EXPECT_GT(one.weight, 0);
}

TEST(Calibrate, ATermThatTakesPointsGoesOnDoingSo) {
  const Rubric takes =
      rubric_of("formula: 60 * tool_success_rate + 40 * output_quality - 20 * error_rate");
  const auto found = calibrate(make({.weights = {0.4, 0, 0, 0.6, 0}, .count = 800}, takes), takes);
  ASSERT_EQ(found.terms.size(), 3u) << found.why_not;
  EXPECT_LT(found.terms[2].after, -50);
  double sum = 0;
  for (const auto& term : found.terms) sum += std::fabs(term.after);
  EXPECT_NEAR(sum, 120, 1e-9);
  EXPECT_NE(found.formula.find(" - "), std::string::npos) << found.formula;
}

TEST(Calibrate, ATermThatTellsNothingIsNotInTheFormula) {
  auto executions = make({.weights = {1, 0, 0, 0, 0}, .count = 300});
  for (auto& one : executions)  // lower where the outcome is good
    one.signals[static_cast<std::size_t>(Signal::structure_score)].value = one.good ? 0.3 : 0.7;
  const auto found = calibrate(executions, default_rubric());
  EXPECT_EQ(found.terms[4].after, 0);
  EXPECT_EQ(found.formula.find("structure_score"), std::string::npos) << found.formula;
}

TEST(Calibrate, AnotherShapeHasNoWeights) {
  const Rubric other = rubric_of("formula: 100 * sqrt(tool_success_rate) * (1 - error_rate)");
  const auto found = calibrate(make({.weights = {0.5, 0, 0, 0.5, 0}, .count = 100}, other), other);
  EXPECT_TRUE(found.terms.empty());
  EXPECT_EQ(found.why_not, "the rubric's formula is not a sum of NUMBER * term");
  EXPECT_TRUE(found.separations[0].auc);
}

TEST(Calibrate, WhereNothingTellsItSaysSo) {
  auto executions = make({.weights = {0, 0, 0, 0, 0}, .count = 100});
  for (std::size_t i = 0; i < executions.size(); ++i) {
    executions[i].good = i % 2 == 0;
    for (const Signal id : kOfDefault)  // each a little lower where the outcome is good
      executions[i].signals[static_cast<std::size_t>(id)].value =
          (id == Signal::error_rate) == executions[i].good ? 0.6 : 0.4;
  }
  const auto found = calibrate(executions, default_rubric());
  EXPECT_EQ(found.why_not, "no term of the formula is higher for good outcomes");
  for (auto& one : executions)
    for (const Signal id : kOfDefault) one.signals[static_cast<std::size_t>(id)].value = 0.5;
  EXPECT_EQ(calibrate(executions, default_rubric()).why_not,
            "every term of the formula is the same in all executions");
}

TEST(Calibrate, IsTheSameEveryTime) {
  const auto executions = make({.weights = {0.35, 0.25, 0.20, 0.15, 0.05}, .count = 200});
  const auto one = calibrate(executions, default_rubric());
  const auto other = calibrate(executions, default_rubric());
  EXPECT_EQ(one.formula, other.formula);
  EXPECT_EQ(one.auc_after, other.auc_after);
}

}  // namespace
}  // namespace vibe::fitness
