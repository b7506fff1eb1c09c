#include "score/numbers.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace vibe::score {
namespace {

struct ShowRow {
  const char* name;
  double value;
  const char *score, *cost;
};

class Show : public testing::TestWithParam<ShowRow> {};

TEST_P(Show, Gives) {
  EXPECT_EQ(show_score(GetParam().value), GetParam().score);
  EXPECT_EQ(show_cost(GetParam().value), GetParam().cost);
}

INSTANTIATE_TEST_SUITE_P(
    Score, Show,
    testing::Values(ShowRow{"zero", 0, "0.00", "$0.0000"},
                    ShowRow{"two_decimals", 45.234, "45.23", "$45.2340"},
                    ShowRow{"half_a_cent", 0.01, "0.01", "$0.0100"},
                    ShowRow{"small", 0.00999, "0.00999", "$0.0100"},
                    ShowRow{"smaller", 0.0001, "0.0001", "$0.0001"},
                    ShowRow{"tiny", 0.000012345, "1.234e-05", "$0.000012"},
                    ShowRow{"large", 9999999.99, "9999999.99", "$9999999.9900"},
                    ShowRow{"huge", 1e7, "1e+07", "$10000000.0000"},
                    ShowRow{"huge_digits", 123456789, "1.235e+08", "$123456789.0000"},
                    ShowRow{"a_run", 0.0177, "0.02", "$0.0177"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Show, EnoughIsNotLess) {
  EXPECT_EQ(show_enough(0.01230001), "$0.0124");
  EXPECT_EQ(show_enough(0.0123), "$0.0123");
  EXPECT_EQ(show_enough(7), "$7.0000");
  EXPECT_EQ(show_enough(0), "$0.0000");
  EXPECT_EQ(show_enough(0.00001234), "$0.000013");
  EXPECT_EQ(show_enough(0.0000999), "$0.0001");
}

TEST(Show, NegativeScores) {
  EXPECT_EQ(show_score(-45.236), "-45.24");
  EXPECT_EQ(show_score(-0.0), "0.00");
  EXPECT_EQ(show_score(-0.001), "-0.001");
}

TEST(Show, Unknown) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(show_cost(nan), "N/A");
  EXPECT_EQ(show_percent(nan), "N/A");
  EXPECT_EQ(show_percent(80), "80.0%");
  EXPECT_EQ(show_percent(200.0 / 3), "66.7%");
}

}  // namespace
}  // namespace vibe::score
