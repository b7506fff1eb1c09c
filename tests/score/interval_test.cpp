#include "score/interval.h"

#include <vector>

#include <gtest/gtest.h>

namespace vibe::score {
namespace {

TEST(Percentile, InterpolatesBetweenNeighbours) {
  const std::vector<double> five{10, 20, 30, 40, 50};
  EXPECT_DOUBLE_EQ(percentile(five, 0), 10);
  EXPECT_DOUBLE_EQ(percentile(five, 0.25), 20);
  EXPECT_DOUBLE_EQ(percentile(five, 0.1), 14);
  EXPECT_DOUBLE_EQ(percentile(five, 1), 50);
}

}  // namespace
}  // namespace vibe::score
