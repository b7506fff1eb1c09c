#include "fitness/trend.h"

#include <gtest/gtest.h>

namespace vibe::fitness {
namespace {

TrendEntry entry(std::string version, double score) {
  TrendEntry out;
  out.version = std::move(version);
  out.score = score;
  return out;
}

TEST(CompareVersions, EachAgainstTheOneBefore) {
  const std::vector<TrendEntry> newest_first{entry("v3", 60), entry("v2", 82), entry("v2", 80),
                                             entry("v1", 71), entry("v2", 81), entry("v1", 70),
                                             entry("v1", 69)};
  const std::vector<std::string> versions{"v1", "v2", "unscored", "v3"};
  const auto found = compare_versions(newest_first, versions, default_rubric());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].version, "v1");
  EXPECT_EQ(found[0].scores, 3u);
  EXPECT_TRUE(found[0].interval);
  EXPECT_FALSE(found[0].delta || found[0].probability_better);
  EXPECT_NEAR(found[1].value, (82 + 0.9 * 80 + 0.8 * 81) / 2.7, 1e-9);
  EXPECT_NEAR(*found[1].delta, found[1].value - found[0].value, 0.011);
  EXPECT_EQ(found[1].probability_better, 1.0);
  EXPECT_EQ(found[2].version, "v3");
  EXPECT_LT(*found[2].delta, 0);
  EXPECT_FALSE(found[2].probability_better) << "of a single score";
  EXPECT_FALSE(found[2].interval);
}

TEST(CompareVersions, NoneIsNone) {
  EXPECT_TRUE(compare_versions({}, std::vector<std::string>{"v1"}, default_rubric()).empty());
}

}  // namespace
}  // namespace vibe::fitness
