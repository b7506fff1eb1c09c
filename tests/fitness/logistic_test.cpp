#include "fitness/logistic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "base/random.h"

namespace vibe::fitness {
namespace {

// Figures between 0 and 1; the outcome is likelier to be good the higher their weighted mean.
Outcomes made_by(const std::vector<double>& weights, double slope, std::size_t count,
                 std::uint64_t seed) {
  base::SplitMix64 random(seed);
  Outcomes out;
  out.columns = weights.size();
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (const double weight : weights) {
      out.rows.push_back(random.uniform());
      sum += weight * out.rows.back();
    }
    const double likely = 1 / (1 + std::exp(-slope * (sum - 0.5)));
    out.good.push_back(random.uniform() < likely ? 1 : 0);
  }
  return out;
}

std::vector<double> shares(const std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> out;
  for (const double weight : weights) out.push_back(weight / sum);
  return out;
}

TEST(FitCrossValidated, FindsKnownWeights) {
  for (const auto& weights : std::vector<std::vector<double>>{{0.35, 0.25, 0.20, 0.15, 0.05},
                                                              {0.2, 0.2, 0.2, 0.2, 0.2},
                                                              {0.7, 0.1, 0.1, 0.05, 0.05},
                                                              {0, 0.5, 0.5, 0, 0},
                                                              {0.05, 0.05, 0.1, 0.3, 0.5}})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const auto found = shares(fit_cross_validated(made_by(weights, 25, 2000, seed), 1).weights);
      for (std::size_t j = 0; j < weights.size(); ++j)
        EXPECT_NEAR(found[j], weights[j], 0.05) << "term " << j << ", seed " << seed;
    }
}

// At the least, the slope is 0 along every weight, or upward where it is held at 0.
TEST(FitLogistic, EndsAtTheLeast) {
  for (const double penalty : {10.0, 0.1, 1e-4}) {
    const Outcomes outcomes = made_by({0.6, 0.4, 0, -0.5}, 10, 400, 3);
    const Fit fit = fit_logistic(outcomes, penalty);
    double of_intercept = 0;
    std::vector<double> slope(outcomes.columns);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      double sum = fit.intercept;
      for (std::size_t j = 0; j < outcomes.columns; ++j) sum += fit.weights[j] * outcomes.row(i)[j];
      const double residual = 1 / (1 + std::exp(-sum)) - outcomes.good[i];
      of_intercept += residual;
      for (std::size_t j = 0; j < outcomes.columns; ++j) slope[j] += residual * outcomes.row(i)[j];
    }
    EXPECT_NEAR(of_intercept, 0, 1e-4);
    for (std::size_t j = 0; j < outcomes.columns; ++j) {
      EXPECT_GE(fit.weights[j], 0);
      slope[j] += penalty * fit.weights[j];
      if (fit.weights[j] > 0)
        EXPECT_NEAR(slope[j], 0, 1e-4) << j;
      else
        EXPECT_GE(slope[j], -1e-4) << j;
    }
    EXPECT_EQ(fit.weights[3], 0) << "a figure that is lower where the outcome is good";
  }
}

TEST(FitLogistic, OutcomesThatSeparatePerfectlyHaveFiniteWeights) {
  const Outcomes outcomes = made_by({0.5, 0.5}, 1e9, 300, 4);
  const Fit fit = fit_logistic(outcomes, 0.01);
  for (const double weight : fit.weights) EXPECT_TRUE(std::isfinite(weight) && weight > 0);
  const auto found = shares(fit.weights);
  EXPECT_NEAR(found[0], 0.5, 0.05);
}

TEST(FitLogistic, ColumnsThatAreTheSameShareTheirWeight) {
  Outcomes outcomes = made_by({1}, 8, 200, 5);
  Outcomes twice{2, {}, outcomes.good};
  for (const double figure : outcomes.rows) twice.rows.insert(twice.rows.end(), {figure, figure});
  const Fit fit = fit_logistic(twice, 1);
  EXPECT_NEAR(fit.weights[0], fit.weights[1], 1e-4);
  EXPECT_GT(fit.weights[0], 0);
}

TEST(FitLogistic, WhereItStartsDoesNotMatter) {
  const Outcomes outcomes = made_by({0.3, 0.3, 0.4}, 10, 300, 6);
  const Fit far{{50, 0, 20}, -7, 0};
  const Fit one = fit_logistic(outcomes, 0.1), other = fit_logistic(outcomes, 0.1, &far);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(one.weights[j], other.weights[j], 1e-4);
}

TEST(Folds, HaveTheOutcomesInEqualShares) {
  std::vector<std::uint8_t> good(53);
  std::fill(good.begin(), good.begin() + 12, std::uint8_t{1});
  const auto fold = folds(good, 5, 1);
  for (std::size_t which = 0; which < 5; ++which) {
    std::size_t goods = 0, bads = 0;
    for (std::size_t i = 0; i < good.size(); ++i)
      if (fold[i] == which) ++(good[i] ? goods : bads);
    EXPECT_TRUE(goods == 2 || goods == 3) << goods;
    EXPECT_TRUE(bads == 8 || bads == 9) << bads;
  }
  EXPECT_EQ(fold, folds(good, 5, 1));
  EXPECT_NE(fold, folds(good, 5, 2));
}

TEST(PartOf, SplitsWithoutLoss) {
  const Outcomes all = made_by({1, 1}, 5, 20, 1);
  const auto fold = folds(all.good, 5, 1);
  const Outcomes inside = part_of(all, fold, 2, true), outside = part_of(all, fold, 2, false);
  EXPECT_EQ(inside.size() + outside.size(), all.size());
  EXPECT_EQ(inside.rows.size(), 2 * inside.size());
}

}  // namespace
}  // namespace vibe::fitness
