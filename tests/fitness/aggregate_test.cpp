#include "fitness/aggregate.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace vibe::fitness {
namespace {

const Aggregation kAggregation{.trim = 0.1, .weights = {1.0, 0.9, 0.8, 0.7, 0.6}};

double value(std::vector<double> scores, const Aggregation& rules = kAggregation) {
  return aggregate(scores, rules).value().value;
}

TEST(Aggregate, NoScoreIsNoAggregate) {
  EXPECT_FALSE(aggregate({}, kAggregation));
  EXPECT_FALSE(aggregate_value({}, kAggregation));
}

TEST(Aggregate, OneScoreIsItself) {
  const std::vector<double> one{71.54};
  const auto found = aggregate(one, kAggregation);
  EXPECT_EQ(found->value, 71.54);
  EXPECT_EQ(found->weights, std::vector{1.0});
  EXPECT_FALSE(found->interval);
}

TEST(Aggregate, TheNewestWeighsMost) {
  EXPECT_NEAR(value({90, 80}), (90 + 0.9 * 80) / 1.9, 1e-9);
  EXPECT_DOUBLE_EQ(value({90, 80, 70, 60, 50}),
                   (90 + 0.9 * 80 + 0.8 * 70 + 0.7 * 60 + 0.6 * 50) / 4.0);
}

// The mean is 77.615 exactly, though the sum of the products in doubles gives a little less.
TEST(Aggregate, HasNoNoiseBehindThePoint) {
  EXPECT_EQ(value({89.14, 79.53, 72.88, 64.1}), 77.615);
  EXPECT_EQ(value({1.0 / 3}), 1.0 / 3);
}

TEST(Aggregate, OlderThanTheWeightsDoNotCount) {
  const std::vector<double> scores{90, 80, 70, 60, 50, 1, 2};
  const auto found = aggregate(scores, kAggregation);
  EXPECT_DOUBLE_EQ(found->value, value({90, 80, 70, 60, 50}));
  EXPECT_EQ(found->weights, (std::vector{1.0, 0.9, 0.8, 0.7, 0.6, 0.0, 0.0}));
  EXPECT_EQ(found->trimmed, std::vector<bool>(7, false));
}

TEST(Aggregate, LeavesOutOneAtEitherEndOfTen) {
  std::vector<double> scores{100, 80, 79, 78, 77, 76, 0, 75, 74, 73};
  const auto found = aggregate(scores, kAggregation);
  EXPECT_TRUE(found->trimmed[0] && found->trimmed[6]);
  EXPECT_EQ(std::count(found->trimmed.begin(), found->trimmed.end(), true), 2);
  EXPECT_DOUBLE_EQ(found->value, value({80, 79, 78, 77, 76}));
  EXPECT_EQ(found->weights, (std::vector{0.0, 1.0, 0.9, 0.8, 0.7, 0.6, 0.0, 0.0, 0.0, 0.0}));
  scores.pop_back();  // nine: nothing is left out
  EXPECT_DOUBLE_EQ(value(scores), value({100, 80, 79, 78, 77}));
}

TEST(Aggregate, OfEqualScoresTheOldestAreLeftOut) {
  const std::vector<double> scores(10, 70);
  const auto found = aggregate(scores, kAggregation);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(found->trimmed[i], i >= 8) << i;
  const std::vector<double> tied{90, 50, 90, 50, 70, 70, 70, 70, 70, 70};
  const auto ends = aggregate(tied, kAggregation);
  EXPECT_TRUE(ends->trimmed[2] && ends->trimmed[3]);
  EXPECT_FALSE(ends->trimmed[0] || ends->trimmed[1]);
}

struct TrimCase {
  std::size_t n;
  double trim;
  long left_out;  // at both ends
};

TEST(Aggregate, TrimsTheFloorOfTheDecimalProduct) {
  for (const auto& [n, trim, left_out] :
       {TrimCase{9, 0.1, 0}, TrimCase{10, 0.1, 2}, TrimCase{19, 0.1, 2}, TrimCase{20, 0.1, 4},
        TrimCase{30, 0.1, 6}, TrimCase{70, 0.1, 14}, TrimCase{100, 0.29, 58},
        TrimCase{1000, 0.1, 200}, TrimCase{3, 0.5, 2}, TrimCase{2, 0.5, 0}, TrimCase{50, 0, 0}}) {
    std::vector<double> scores(n);
    std::iota(scores.begin(), scores.end(), 0);
    const auto found = aggregate(scores, {.trim = trim, .weights = {1}});
    EXPECT_EQ(std::count(found->trimmed.begin(), found->trimmed.end(), true), left_out)
        << n << " " << trim;
  }
}

TEST(Aggregate, HasAnIntervalFromThreeOn) {
  const std::vector<double> two{70, 80}, three{70, 80, 75};
  EXPECT_FALSE(aggregate(two, kAggregation)->interval);
  const auto found = aggregate(three, kAggregation);
  ASSERT_TRUE(found->interval);
  EXPECT_GE(found->interval->low, 70);
  EXPECT_LE(found->interval->high, 80);
  EXPECT_LT(found->interval->low, found->value);
  EXPECT_GT(found->interval->high, found->value);
}

TEST(Aggregate, TheIntervalIsTheSameEveryTime) {
  std::vector<double> scores;
  base::SplitMix64 random(3);
  for (int i = 0; i < 40; ++i) scores.push_back(100 * random.uniform());
  const auto one = aggregate(scores, kAggregation), other = aggregate(scores, kAggregation);
  EXPECT_EQ(one->interval->low, other->interval->low);
  EXPECT_EQ(one->interval->high, other->interval->high);
}

// A resample as the definition has it: draw, sort by time, trim by sorting, weigh.
double naive_draw(const std::vector<double>& scores, base::SplitMix64& random) {
  std::vector<std::size_t> drawn;
  for (std::size_t i = 0; i < scores.size(); ++i) drawn.push_back(random.below(scores.size()));
  std::sort(drawn.begin(), drawn.end());
  std::vector<double> in_order;
  for (const std::size_t i : drawn) in_order.push_back(scores[i]);
  return aggregate_value(in_order, kAggregation).value();
}

TEST(Resampler, DrawsAsTheDefinitionDoes) {
  base::SplitMix64 random(11);
  for (const std::size_t n : {3u, 9u, 10u, 25u, 200u}) {
    std::vector<double> scores;
    for (std::size_t i = 0; i < n; ++i)
      scores.push_back(static_cast<double>(random.below(12)));  // with ties
    Resampler resampler(scores, kAggregation);
    base::SplitMix64 one(n), other(n);
    for (int i = 0; i < 50; ++i) EXPECT_NEAR(resampler.draw(one), naive_draw(scores, other), 1e-9);
  }
}

using Times = std::vector<std::optional<std::int64_t>>;
using Places = std::vector<std::size_t>;

TEST(NewestFirst, GoesByTheEnd) {
  EXPECT_EQ(newest_first(Times{20, 30, 10}), (Places{1, 0, 2}));
  EXPECT_EQ(newest_first(Times{}), Places{});
}

TEST(NewestFirst, OfUndatedAndEqualTimesALaterArgumentIsNewer) {
  EXPECT_EQ(newest_first(Times{{}, {}, {}}), (Places{2, 1, 0}));
  EXPECT_EQ(newest_first(Times{5, 5, 5}), (Places{2, 1, 0}));
}

TEST(NewestFirst, AnUndatedOneKeepsTheirPlaceAmongDatedOnes) {
  EXPECT_EQ(newest_first(Times{30, {}, 10}), (Places{0, 1, 2}));
  EXPECT_EQ(newest_first(Times{{}, 30, 10, {}}), (Places{3, 1, 2, 0}));
}

rc::Gen<std::vector<double>> some_scores() {
  return rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(0, 10001), [](int n) { return n / 100.0; })));
}

RC_GTEST_PROP(Aggregate, LiesBetweenTheLeastAndTheMost, ()) {
  const auto scores = *some_scores();
  const double found = aggregate_value(scores, kAggregation).value();
  const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
  RC_ASSERT(found >= *least - 1e-9 && found <= *most + 1e-9);
}

// However ties are broken, the kept ones are the same figures wherever they stand.
RC_GTEST_PROP(Aggregate, TrimsTheOutermostAndNothingElse, ()) {
  const auto scores = *some_scores();
  const auto found = aggregate(scores, kAggregation).value();
  std::vector<double> kept, sorted = scores;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (!found.trimmed[i]) kept.push_back(scores[i]);
  std::sort(sorted.begin(), sorted.end());
  const std::size_t k = scores.size() / 10;
  const std::vector<double> middle(sorted.begin() + static_cast<std::ptrdiff_t>(k),
                                   sorted.end() - static_cast<std::ptrdiff_t>(k));
  auto sorted_kept = kept;
  std::sort(sorted_kept.begin(), sorted_kept.end());
  RC_ASSERT(sorted_kept == middle);
  kept.resize(std::min(kept.size(), kAggregation.weights.size()));
  RC_ASSERT(found.value ==
            aggregate_value(kept, {.trim = 0, .weights = kAggregation.weights}).value());
}

RC_GTEST_PROP(Aggregate, AShiftOfAllShiftsIt, ()) {
  auto scores = *some_scores();
  const double before = aggregate_value(scores, kAggregation).value();
  for (double& score : scores) score += 8;
  RC_ASSERT(std::abs(aggregate_value(scores, kAggregation).value() - before - 8) < 1e-9);
}

}  // namespace
}  // namespace vibe::fitness
