
#include "wire/status.h"

#include <gtest/gtest.h>

#include "base/json_value.h"

namespace vibe::wire {
namespace {

using score::RunStatus;

score::Run run_of(RunStatus status) {
  score::Run run;
  run.suite_name = "s";
  run.model = "m";
  run.status = status;
  run.score_formula = "success_pct";
  return run;
}

base::JsonValue json_of(const RunState& state) {
  const auto json = base::parse_json(status_json(state));
  EXPECT_TRUE(json);
  return json.value_or(base::JsonValue());
}

TEST(StatusJson, NothingIsNull) {
  score::Result result;
  result.eval_name = "eval 1";
  result.prompt = "p";
  const std::vector<store::Arrival> arrivals{{1, result}};
  const score::Run run = run_of(RunStatus::running);
  const auto json = json_of({run, arrivals, false, 0});
  EXPECT_EQ(json.text_of("status"), "running");
  EXPECT_EQ(json.text_of("systemPrompt"), "");
  EXPECT_TRUE(json.find("systemPrompt")->text());
  EXPECT_EQ(json.number_of("totalTimeMs"), 0);
  EXPECT_FALSE(json.find("error"));
  EXPECT_FALSE(json.find("score"));
  EXPECT_FALSE(json.find("scoreError"));
  const base::JsonValue& first = *json.find("results")->at(0);
  EXPECT_TRUE(first.find("response")->text());
  EXPECT_TRUE(first.find("checkResults")->array());
  EXPECT_EQ(first.number_of("executionTimeMs"), 0);
  EXPECT_FALSE(first.find("cost"));
}

TEST(StatusJson, ARunThatWasCancelledFailed) {
  const score::Run run = run_of(RunStatus::cancelled);
  const auto json = json_of({run, {}, true, 0});
  EXPECT_EQ(json.text_of("status"), "failed");
  EXPECT_EQ(json.text_of("error"), "Run was cancelled");
  EXPECT_EQ(json.find("isUpdate")->boolean(), true);
}

TEST(StatusJson, ErrorsStandWhereARunFailedAlone) {
  for (const RunStatus status : score::kRunStatuses) {
    score::Run run = run_of(status);
    run.error = "why";
    const bool failed = status == RunStatus::failed || status == RunStatus::cancelled ||
                        status == RunStatus::timed_out || status == RunStatus::partial_failure;
    EXPECT_EQ(json_of({run, {}, false, 0}).find("error") != nullptr, failed) << to_string(status);
  }
}

TEST(StatusJson, TimeIsWhatItTookOrHasTakenSoFar) {
  score::Run run = run_of(RunStatus::running);
  run.started_at = 1000;
  EXPECT_EQ(json_of({run, {}, false, 3500}).number_of("totalTimeMs"), 2500);
  EXPECT_EQ(json_of({run, {}, false, 500}).number_of("totalTimeMs"), 0);
  run.duration = 1.25;
  EXPECT_EQ(json_of({run, {}, false, 3500}).number_of("totalTimeMs"), 1250);
}

TEST(StatusJson, AnEvalWithoutANameIsNamedByItsPrompt) {
  score::Result named, unnamed;
  named.eval = "capitals";
  named.eval_name = "capitals[2]";
  unnamed.eval_name = "eval 2";
  named.prompt = unnamed.prompt = "Capital of\n  France?";
  const std::vector<store::Arrival> arrivals{{1, named}, {2, unnamed}};
  const score::Run run = run_of(RunStatus::completed);
  const auto json = json_of({run, arrivals, false, 0});
  EXPECT_EQ(json.find("results")->at(0)->text_of("evalName"), "capitals[2]");
  EXPECT_EQ(json.find("results")->at(1)->text_of("evalName"), "Capital of France?");
  EXPECT_EQ(json.find("results")->at(1)->text_of("prompt"), "Capital of\n  France?");
}

TEST(StatusJson, AnAnswerThatDidNotComeSaysWhy) {
  score::Result result;
  result.error = "no answer";
  const std::vector<store::Arrival> arrivals{{1, result}};
  const score::Run run = run_of(RunStatus::failed);
  const auto json = json_of({run, arrivals, false, 0});
  const auto* check = json.pointer("/results/0/checkResults/0");
  ASSERT_TRUE(check);
  EXPECT_EQ(check->text_of("type"), "error");
  EXPECT_EQ(check->text_of("message"), "no answer");
}

TEST(StatusJson, ChecksHaveTheirChildren) {
  score::Result result;
  result.status = score::ResultStatus::passed;
  result.checks = {{.type = "or",
                    .verdict = score::Verdict::pass,
                    .message = "one holds",
                    .children = {{.type = "match",
                                  .verdict = score::Verdict::fail,
                                  .message = "Pattern \"*4*\" not found in response",
                                  .children = {},
                                  .judged = {}}},
                    .judged = {}}};
  const std::vector<store::Arrival> arrivals{{1, result}};
  const score::Run run = run_of(RunStatus::completed);
  const auto json = json_of({run, arrivals, false, 0});
  const auto* child = json.pointer("/results/0/checkResults/0/children/0");
  ASSERT_TRUE(child);
  EXPECT_EQ(child->find("passed")->boolean(), false);
  EXPECT_FALSE(child->find("children"));
}

}  // namespace
}  // namespace vibe::wire
