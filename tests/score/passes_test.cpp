// The chances of `pass_at(k)` and `pass_all(k)`.
#include "score/passes.h"

#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "score/samples.h"

namespace vibe::score {
namespace {

using formula::Column;
using formula::Selector;
using formula::Statistic;

TEST(Passes, OfKnownCounts) {
  EXPECT_DOUBLE_EQ(pass_at(5, 3, 2), 0.9);
  EXPECT_DOUBLE_EQ(pass_all(5, 3, 2), 0.3);
  EXPECT_DOUBLE_EQ(pass_at(10, 4, 3), 5.0 / 6);
  EXPECT_DOUBLE_EQ(pass_all(10, 4, 3), 1.0 / 30);
  EXPECT_EQ(pass_at(3, 2, 2), 1);  // one failure is not enough to fail twice
  EXPECT_EQ(pass_at(3, 0, 3), 0);
  EXPECT_EQ(pass_all(3, 3, 3), 1);
  EXPECT_TRUE(std::isnan(pass_at(2, 1, 3)));
  EXPECT_TRUE(std::isnan(pass_all(2, 2, 3)));
}

// Against all ways to pick k of the answers.
TEST(Passes, AreShareOfAllPicks) {
  for (unsigned answers = 1; answers <= 7; ++answers)
    for (unsigned passed = 0; passed <= answers; ++passed)
      for (unsigned k = 1; k <= answers; ++k) {
        unsigned picks = 0, some = 0, all = 0;
        const unsigned passing = (1U << passed) - 1;
        for (unsigned pick = 0; pick < 1U << answers; ++pick) {
          if (std::popcount(pick) != static_cast<int>(k)) continue;
          ++picks;
          some += (pick & passing) != 0 ? 1 : 0;
          all += (pick & passing) == pick ? 1 : 0;
        }
        EXPECT_NEAR(pass_at(answers, passed, k), static_cast<double>(some) / picks, 1e-12);
        EXPECT_NEAR(pass_all(answers, passed, k), static_cast<double>(all) / picks, 1e-12);
      }
}

// Two evals with two answers each, one of them with two cases, and a sample without an eval.
TEST(Passes, AreMeansOverEvalsAndCases) {
  Samples samples;
  const auto plain = samples.eval("plain"), cases = samples.eval("cases");
  samples.add(plain, {.passed = true}, {0, 0, 0});
  samples.add(plain, {.passed = false}, {1, 0, 1});
  for (const std::uint32_t row : {0U, 1U})
    for (const std::uint32_t repeat : {0U, 1U})
      samples.add(cases, {.passed = row == 0}, {2 + 2 * row + repeat, row, repeat});
  const auto of = [&](Statistic statistic, double k, Selector over = {}) {
    return samples.measure({"", statistic, Column::passed, k, std::move(over)});
  };
  EXPECT_DOUBLE_EQ(of(Statistic::pass_at, 2), 2.0 / 3);
  EXPECT_DOUBLE_EQ(of(Statistic::pass_all, 2), 1.0 / 3);
  EXPECT_DOUBLE_EQ(of(Statistic::pass_at, 1), 0.5);
  EXPECT_DOUBLE_EQ(of(Statistic::pass_at, 2, {Selector::Kind::glob, "c*"}), 0.5);
  EXPECT_TRUE(std::isnan(of(Statistic::pass_at, 3)));
  samples.add(Samples::kNoEval, {.passed = true});
  samples.add(Samples::kNoEval, {.passed = true});
  EXPECT_DOUBLE_EQ(of(Statistic::pass_at, 1), (0.5 + 1 + 0 + 1 + 1) / 5);
  EXPECT_TRUE(std::isnan(of(Statistic::pass_at, 2)));  // these have one answer each
}

}  // namespace
}  // namespace vibe::score
