#include "report/kept.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vibe::report {

namespace {

using testing::HasSubstr;

TEST(Kept, SuitesSayWhenTheyRanLast) {
  store::SuiteEntry suite{.name = "sums",
                          .text = "a: 1\n",
                          .path = "",
                          .evals = 3,
                          .version = 2,
                          .edited_at = 0,
                          .last_run_at = {}};
  EXPECT_THAT(suite_table(std::vector{suite}, 0, {}),
              HasSubstr("sums       3        2  just now  never"));
  suite.last_run_at = 0;
  EXPECT_THAT(suite_table(std::vector{suite}, 60'000, {}), HasSubstr("1 min ago  1 min ago"));
}

}  // namespace

}  // namespace vibe::report
