#include "score/run.h"

#include <gtest/gtest.h>

namespace vibe::test {

using namespace score;

namespace {

TEST(Run, StatusesHaveNames) {
  for (const auto status : kRunStatuses) EXPECT_EQ(run_status(to_string(status)), status);
  for (int i = 0; i <= static_cast<int>(ResultStatus::error); ++i) {
    const auto status = static_cast<ResultStatus>(i);
    EXPECT_EQ(result_status(to_string(status)), status);
  }
  EXPECT_EQ(to_string(RunStatus::partial_failure), "partial_failure");
  EXPECT_EQ(to_string(ResultStatus::passed), "passed");
  EXPECT_EQ(run_status("passed"), std::nullopt);
  EXPECT_EQ(result_status(""), std::nullopt);
}

TEST(Run, KnowsItsRecording) {
  score::Run run;
  EXPECT_FALSE(is_replay(run));
  EXPECT_EQ(recording_file(run), "");
  run.source = "replay:a:b.jsonl";
  EXPECT_TRUE(is_replay(run));
  EXPECT_EQ(recording_file(run), "a:b.jsonl");
}

TEST(Run, SuccessIsOfTheResultsSoFar) {
  score::Run run;
  run.planned = 100;
  EXPECT_EQ(run.success_percentage(), std::nullopt);
  run.results = 8;
  run.passed = 6;
  EXPECT_EQ(run.success_percentage(), 75.0);
}

TEST(Run, TokensAreUnknownUnlessBothAreKnown) {
  score::Result result;
  EXPECT_EQ(result.total_tokens(), std::nullopt);
  result.prompt_tokens = 10;
  EXPECT_EQ(result.total_tokens(), std::nullopt);
  result.completion_tokens = 5;
  EXPECT_EQ(result.total_tokens(), 15);
}

}  // namespace

}  // namespace vibe::test
