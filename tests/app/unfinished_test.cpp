// Selects the samples of an earlier run to ask.
#include "app/runs/unfinished.h"

#include <gtest/gtest.h>

#include "app/world.h"

namespace vibe::app {
namespace {

using score::ResultStatus;

score::Result ended(std::uint32_t sample, ResultStatus status) {
  score::Result out;
  out.sample = sample;
  out.status = status;
  return out;
}

struct UnfinishedCase {
  const char* name;
  std::vector<std::pair<std::uint32_t, ResultStatus>> results;
  std::uint32_t planned;
  std::vector<std::uint32_t> missing, failed;
};
class Unfinished : public testing::TestWithParam<UnfinishedCase> {};

TEST_P(Unfinished, Gives) {
  std::vector<score::Result> results;
  for (const auto& [sample, status] : GetParam().results) results.push_back(ended(sample, status));
  EXPECT_EQ(unfinished(results, GetParam().planned, Continue::missing), GetParam().missing);
  EXPECT_EQ(unfinished(results, GetParam().planned, Continue::failed), GetParam().failed);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, Unfinished,
    testing::Values(
        UnfinishedCase{"nothing_planned", {}, 0, {}, {}},
        UnfinishedCase{"nothing_asked", {}, 3, {0, 1, 2}, {}},
        UnfinishedCase{
            "all_there", {{0, ResultStatus::passed}, {1, ResultStatus::failed}}, 2, {}, {}},
        UnfinishedCase{"errors_are_results",
                       {{0, ResultStatus::error}, {2, ResultStatus::error}},
                       4,
                       {1, 3},
                       {0, 2}},
        UnfinishedCase{"results_of_a_larger_plan",
                       {{5, ResultStatus::error}, {0, ResultStatus::passed}},
                       2,
                       {1},
                       {}}),
    [](const auto& row) { return row.param.name; });

TEST(NothingLeft, SaysWhatElseCanBeDone) {
  score::Run run;
  run.id = "some-run";
  run.planned = 3;
  const auto hint = [&](Continue how) {
    const auto found = nothing_left(run, how);
    EXPECT_EQ(all_codes(found), Found{base::Code::nothing_selected});
    EXPECT_NE(first_message(found).find("`some-run`"), std::string::npos);
    return first_hint(found);
  };
  EXPECT_EQ(hint(Continue::missing), "");
  EXPECT_NE(hint(Continue::failed).find("--resume"), std::string::npos);  // it has no score
  run.errors = 1;
  run.metrics.push_back({"success_pct", "", 1, ""});
  EXPECT_NE(hint(Continue::missing).find("--retry-failed"), std::string::npos);
  EXPECT_EQ(hint(Continue::failed), "");
}

}  // namespace
}  // namespace vibe::app
