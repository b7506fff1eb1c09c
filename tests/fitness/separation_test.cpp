#include "fitness/separation.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"

namespace vibe::fitness {
namespace {

using Figures = std::vector<double>;
using Good = std::vector<std::uint8_t>;

double normal(base::SplitMix64& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * M_PI * random.uniform());
}

TEST(Auc, CountsThePairsThatAreInOrder) {
  const auto found = auc(Figures{3, 2, 1, 0}, Good{1, 0, 1, 0});
  EXPECT_DOUBLE_EQ(found->value, 0.75);
  EXPECT_DOUBLE_EQ(auc(Figures{1, 1, 1, 1}, Good{1, 0, 1, 0})->value, 0.5);
  EXPECT_DOUBLE_EQ(auc(Figures{0, 1}, Good{1, 0})->value, 0);
}

TEST(Auc, NoneOfOneOutcome) {
  EXPECT_FALSE(auc(Figures{1, 2}, Good{1, 1}));
  EXPECT_FALSE(auc(Figures{1, 2}, Good{0, 0}));
  EXPECT_FALSE(auc(Figures{}, Good{}));
}

TEST(Auc, HasTheIntervalOfDeLong) {
  const auto found = auc(Figures{5, 3, 1, 0, 2, 4}, Good{1, 1, 1, 0, 0, 0});
  EXPECT_DOUBLE_EQ(found->value, 2.0 / 3);
  // placements of the good: 1, 2/3, 1/3; of the bad: 1, 2/3, 1/3; each of variance 1/9
  const double variance = 1.0 / 9 / 3 + 1.0 / 9 / 3;
  const double reach = 1.959963984540054 * std::sqrt(variance) / (2.0 / 9);
  EXPECT_NEAR(found->interval.low, 1 / (1 + std::exp(-(std::log(2) - reach))), 1e-12);
  EXPECT_NEAR(found->interval.high, 1 / (1 + std::exp(-(std::log(2) + reach))), 1e-12);
}

TEST(Auc, FewThatAgreeMakeNothingCertain) {
  const auto three = auc(Figures{3, 2, 1}, Good{1, 1, 0});
  EXPECT_EQ(three->value, 1);
  EXPECT_LT(three->interval.low, 0.6);
  EXPECT_EQ(three->interval.high, 1);
  const auto never = auc(Figures{1, 2, 3}, Good{1, 1, 0});
  EXPECT_EQ(never->value, 0);
  EXPECT_GT(never->interval.high, 0.4);
  EXPECT_EQ(never->interval.low, 0);

  Figures many;
  Good good;
  for (int i = 0; i < 200; ++i) {
    many.push_back(i);
    good.push_back(i >= 100 ? 1 : 0);
  }
  EXPECT_GT(auc(many, good)->interval.low, 0.95);
  const auto same =
      auc(Figures(20, 7), Good{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0});
  EXPECT_EQ(same->value, 0.5);
  EXPECT_LT(same->interval.low, 0.35);
  EXPECT_GT(same->interval.high, 0.65);
}

TEST(Auc, TheIntervalCoversTheTruth) {
  constexpr int kSimulations = 200;
  for (const auto& [goods, bads] : {std::pair{5, 5}, {10, 10}, {10, 40}, {50, 50}, {150, 150}})
    for (const double shift : {0.0, 0.7416, 1.1902, 1.8124, 2.3262}) {
      const double truth = 0.5 * std::erfc(-shift / 2);
      base::SplitMix64 random(17);
      int covered = 0;
      for (int i = 0; i < kSimulations; ++i) {
        Figures figures;
        Good good;
        for (int j = 0; j < goods + bads; ++j) {
          good.push_back(j < goods ? 1 : 0);
          figures.push_back(normal(random) + (j < goods ? shift : 0));
        }
        const auto found = auc(figures, good)->interval;
        covered += found.low <= truth && truth <= found.high ? 1 : 0;
      }
      EXPECT_GE(covered, kSimulations * 9 / 10) << goods << " " << bads << " " << truth;
    }
}

// Signals have few values, so that most pairs are tied.
TEST(Auc, TheIntervalCoversTheTruthOfTies) {
  constexpr int kSimulations = 200;
  const double of_good[] = {0.1, 0.3, 0.6}, of_bad[] = {0.4, 0.4, 0.2};  // of the values 0, 1, 2
  double truth = 0;
  for (int g = 0; g < 3; ++g)
    for (int b = 0; b < 3; ++b) truth += of_good[g] * of_bad[b] * (g > b ? 1 : g == b ? 0.5 : 0);
  for (const int size : {10, 30, 100}) {
    base::SplitMix64 random(23);
    int covered = 0;
    for (int i = 0; i < kSimulations; ++i) {
      Figures figures;
      Good good;
      for (int j = 0; j < 2 * size; ++j) {
        const auto& likely = j < size ? of_good : of_bad;
        const double draw = random.uniform();
        good.push_back(j < size ? 1 : 0);
        figures.push_back(draw < likely[0] ? 0 : draw < likely[0] + likely[1] ? 1 : 2);
      }
      const auto found = auc(figures, good)->interval;
      covered += found.low <= truth && truth <= found.high ? 1 : 0;
    }
    EXPECT_GE(covered, kSimulations * 9 / 10) << size;
  }
}

TEST(AucGain, OfTheSameFiguresIsNone) {
  const Figures figures{1, 4, 2, 5, 3, 6};
  const Good good{0, 1, 0, 1, 1, 0};
  const auto found = auc_gain(figures, figures, good);
  EXPECT_EQ(found->value, 0);
  EXPECT_NEAR(found->interval.low, 0, 1e-7);
  EXPECT_NEAR(found->interval.high, 0, 1e-7);
}

TEST(AucGain, IsTheDifferenceAndItsIntervalCoversIt) {
  base::SplitMix64 random(5);
  int covered = 0;
  const double truth = 0.5 * std::erfc(-1.5 / 2) - 0.5 * std::erfc(-0.5 / 2);
  for (int i = 0; i < 200; ++i) {
    Figures weak, strong;
    Good good;
    for (int j = 0; j < 120; ++j) {
      const bool is_good = j % 2 == 0;
      const double shared = normal(random);
      good.push_back(is_good ? 1 : 0);
      weak.push_back(0.6 * shared + 0.8 * normal(random) + (is_good ? 0.5 : 0));
      strong.push_back(0.6 * shared + 0.8 * normal(random) + (is_good ? 1.5 : 0));
    }
    const auto found = auc_gain(weak, strong, good);
    EXPECT_NEAR(found->value, auc(strong, good)->value - auc(weak, good)->value, 1e-12);
    covered += found->interval.low <= truth && truth <= found->interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, 180);
}

TEST(RankCorrelation, GoesByMidranks) {
  EXPECT_DOUBLE_EQ(*rank_correlation(Figures{0, 0, 1, 1}, Good{0, 0, 1, 1}), 1);
  EXPECT_DOUBLE_EQ(*rank_correlation(Figures{1, 1, 0, 0}, Good{0, 0, 1, 1}), -1);
  // ranks 1, 2, 3, 4 against 1.5, 1.5, 3.5, 3.5: covariance 4 of √(5 · 4)
  EXPECT_DOUBLE_EQ(*rank_correlation(Figures{1, 2, 3, 40}, Good{0, 0, 1, 1}), 4 / std::sqrt(20));
}

TEST(RankCorrelation, NoneOfWhatIsConstant) {
  EXPECT_FALSE(rank_correlation(Figures{1, 1, 1}, Good{0, 1, 0}));
  EXPECT_FALSE(rank_correlation(Figures{1, 2, 3}, Good{1, 1, 1}));
  EXPECT_FALSE(rank_correlation(Figures{}, Good{}));
}

RC_GTEST_PROP(AucProperty, IsTheShareOfPairs, ()) {
  const auto values = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 8));
  Figures figures(values.begin(), values.end());
  Good good;
  for (std::size_t i = 0; i < figures.size(); ++i)
    good.push_back(*rc::gen::inRange<std::uint8_t>(0, 2));
  double right = 0, pairs = 0;
  for (std::size_t i = 0; i < figures.size(); ++i)
    for (std::size_t j = 0; j < figures.size(); ++j) {
      if (!good[i] || good[j]) continue;
      right += figures[i] > figures[j] ? 1 : figures[i] == figures[j] ? 0.5 : 0;
      ++pairs;
    }
  const auto found = auc(figures, good);
  RC_ASSERT(found.has_value() == (pairs > 0));
  if (!found) return;
  RC_ASSERT(std::abs(found->value - right / pairs) < 1e-12);
  RC_ASSERT(0 <= found->interval.low && found->interval.low <= found->value + 1e-12);
  RC_ASSERT(found->value <= found->interval.high + 1e-12 && found->interval.high <= 1);
}

}  // namespace
}  // namespace vibe::fitness
