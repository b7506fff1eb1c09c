// Trajectories of OpenHands (V0, V1) and lines of its evaluations.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "trace/reading.h"

namespace vibe::trace {

namespace {

LogText read_openhands_text(std::string bytes) {
  return read_as(*find_format("openhands"), std::move(bytes));
}

constexpr const char* kTrajectory = R"([
  {"id": 0, "timestamp": "2025-01-27T22:00:00.000000", "source": "user", "message": "go", "action": "message",
   "args": {"content": "go", "wait_for_response": false}},
  {"id": 1, "timestamp": "2025-01-27T22:00:01.000000", "source": "agent", "action": "system", "args": {"content": "…", "agent_class": "CodeActAgent"}},
  {"id": 2, "timestamp": "2025-01-27T22:00:02.000000", "source": "user", "action": "recall", "args": {"query": "go"}},
  {"id": 3, "timestamp": "2025-01-27T22:00:03.000000", "source": "environment", "observation": "recall", "cause": 2, "content": "ERROR: no", "extras": {}},
  {"id": 4, "timestamp": "2025-01-27T22:00:04.000000", "source": "agent", "action": "run",
   "args": {"command": "make", "thought": "first"},
   "tool_call_metadata": {"function_name": "execute_bash", "tool_call_id": "t1", "model_response": {"id": "r1", "model": "claude-x",
     "usage": {"prompt_tokens": 100, "completion_tokens": 10, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 50}}}},
  {"id": 5, "timestamp": "2025-01-27T22:00:06.000000", "source": "agent", "observation": "run", "cause": 4, "content": "boom",
   "extras": {"command": "make", "metadata": {"exit_code": 2}}, "success": false,
   "tool_call_metadata": {"tool_call_id": "t1", "model_response": {"id": "r1", "model": "claude-x",
     "usage": {"prompt_tokens": 100, "completion_tokens": 10, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 50}}}},
  {"id": 6, "timestamp": "2025-01-27T22:00:07.000000", "source": "agent", "action": "run", "args": {"command": "make", "thought": "again"},
   "tool_call_metadata": {"tool_call_id": "t2", "model_response": {"id": "r2", "model": "claude-x", "usage": {"prompt_tokens": 200, "completion_tokens": 20}}}},
  {"id": 7, "timestamp": "2025-01-27T22:00:09.000000", "source": "agent", "observation": "run", "cause": 6, "content": "ok", "extras": {"exit_code": 0}},
  {"id": 8, "timestamp": "2025-01-27T22:00:10.000000", "source": "agent", "action": "think", "args": {"thought": "hm"}},
  {"id": 9, "timestamp": "2025-01-27T22:00:10.500000", "source": "agent", "observation": "think", "cause": 8, "content": "noted", "extras": {}},
  {"id": 10, "timestamp": "2025-01-27T22:00:11.000000", "source": "agent", "action": "finish", "message": "m",
   "args": {"final_thought": "## Fixed", "thought": "", "outputs": {}}},
  {"id": 11, "timestamp": "2025-01-27T22:00:12.000000", "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {"agent_state": "finished"}}
])";

// One call of V0 and its observation.
Execution call(const std::string& action, const std::string& observation) {
  return only(read_openhands_text(fmt::format(
      R"([{{"id": 0, "source": "user", "action": "message", "args": {{"content": "go"}}}},
      {{"id": 1, "source": "agent", "action": "{}", "args": {{"x": 1}}}}, {{"id": 2, "cause": 1, {}}}])",
      action, observation)));
}

std::string outcome(const Execution& got) {
  if (got.tool_calls != 1) return fmt::format("{} calls", got.tool_calls);
  return got.refused ? "refused" : got.succeeded ? "success" : got.failed ? "failure" : "unknown";
}

}  // namespace

TEST(OpenHands, ReadsATrajectory) {
  const Execution got = only(read_openhands_text(kTrajectory));
  EXPECT_EQ(got.id, "");
  EXPECT_EQ(got.agent, "CodeActAgent");
  EXPECT_EQ(got.model, "claude-x");
  EXPECT_EQ(got.tool_calls, 2);
  EXPECT_EQ(got.succeeded, 1);
  EXPECT_EQ(got.failed, 1);
  EXPECT_EQ(got.repeats, 1);  // another thought is the same input
  EXPECT_EQ(got.orphan_results, 0);
  EXPECT_EQ(got.calls.at(0).exit_code, 2);
  EXPECT_EQ(got.calls.at(0).error, "boom");
  EXPECT_EQ(got.calls.at(0).input, R"({"command":"make"})");
  EXPECT_DOUBLE_EQ(got.duration.value_or(0), 12);
  EXPECT_EQ(got.output, "## Fixed");
  EXPECT_EQ(got.ended_in_error, false);
}

TEST(OpenHands, EachAnswerOfTheModelCountsOnce) {
  const Tokens tokens = only(read_openhands_text(kTrajectory)).tokens.value_or(Tokens{});
  EXPECT_EQ(tokens.input, 300);
  EXPECT_EQ(tokens.output, 30);
  EXPECT_EQ(tokens.cache_read, 40);
  EXPECT_EQ(tokens.cache_write, 50);
  EXPECT_TRUE(tokens.cache_in_input);
}

TEST(OpenHands, ACounterIsBetterThanTheAnswers) {
  const Execution got = only(read_openhands_text(R"([
    {"id": 1, "source": "agent", "action": "run", "args": {}, "tool_call_metadata": {"model_response": {"id": "r", "usage": {"prompt_tokens": 1}}},
     "llm_metrics": {"accumulated_cost": 0.5, "accumulated_token_usage": {"model": "m", "prompt_tokens": 10, "completion_tokens": 2}}},
    {"id": 2, "source": "agent", "action": "message", "args": {"content": "hi"},
     "llm_metrics": {"accumulated_cost": 0.75, "accumulated_token_usage": {"model": "m", "prompt_tokens": 30, "completion_tokens": 5, "cache_read_tokens": 9}}}])"));
  EXPECT_EQ(got.tokens.value_or(Tokens{}).input, 30);
  EXPECT_EQ(got.tokens.value_or(Tokens{}).output, 5);
  EXPECT_EQ(got.tokens.value_or(Tokens{}).cache_read, 9);
  EXPECT_DOUBLE_EQ(got.cost.value_or(0), 0.75);
  EXPECT_EQ(got.output, "hi");
}

struct OpenHandsResultCase {
  const char* name;
  const char* action;
  const char* observation;
  const char* want;
};
class OpenHandsResult : public testing::TestWithParam<OpenHandsResultCase> {};
TEST_P(OpenHandsResult, IsRead) {
  EXPECT_EQ(outcome(call(GetParam().action, GetParam().observation)), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Trace, OpenHandsResult,
    testing::Values(
        OpenHandsResultCase{
            "exit_0", "run",
            R"("observation": "run", "content": "error: x", "extras": {"metadata": {"exit_code": 0}})",
            "success"},
        OpenHandsResultCase{"exit_1", "run",
                            R"("observation": "run", "content": "", "extras": {"exit_code": 1})",
                            "failure"},
        OpenHandsResultCase{
            "still_running", "run",
            R"("observation": "run", "content": "", "extras": {"metadata": {"exit_code": -1}})",
            "unknown"},
        OpenHandsResultCase{
            "run_without_code", "run",
            R"("observation": "run", "content": "sh: x: command not found", "extras": {})",
            "failure"},
        OpenHandsResultCase{"error_observation", "read",
                            R"("observation": "error", "content": "not found", "extras": {})",
                            "failure"},
        OpenHandsResultCase{"error_text", "edit",
                            R"("observation": "edit", "content": "ERROR:\nno match", "extras": {})",
                            "failure"},
        OpenHandsResultCase{
            "file_with_errors_in_it", "read",
            R"~("observation": "read", "content": "error: none\nTraceback (most recent call last)", "extras": {})~",
            "success"},
        OpenHandsResultCase{
            "traceback", "run_ipython",
            R"("observation": "run_ipython", "content": "Traceback (most recent call last)\n…", "success": true)",
            "failure"},
        OpenHandsResultCase{"browser_error", "browse_interactive",
                            R"("observation": "browse", "content": "", "extras": {"error": true})",
                            "failure"},
        OpenHandsResultCase{"browser", "browse",
                            R"("observation": "browse", "content": "", "extras": {"error": false})",
                            "success"},
        OpenHandsResultCase{
            "mcp_error", "call_tool_mcp",
            R"("observation": "mcp", "content": "{\"content\": [], \"isError\": true}")",
            "failure"},
        OpenHandsResultCase{
            "mcp", "call_tool_mcp",
            R"("observation": "mcp", "content": "{\"content\": [], \"isError\": false}")",
            "success"},
        OpenHandsResultCase{"rejected", "run",
                            R"("observation": "user_rejected", "content": "no", "extras": {})",
                            "refused"},
        OpenHandsResultCase{
            "of_another_action", "run",
            R"("cause": 7, "observation": "run", "content": "", "extras": {"exit_code": 1})",
            "unknown"},
        OpenHandsResultCase{
            "delegate", "delegate",
            R"("observation": "delegate", "content": "", "extras": {"outputs": {}})", "success"},
        OpenHandsResultCase{"message", "message", R"("observation": "null")", "0 calls"},
        OpenHandsResultCase{"thought", "think", R"("observation": "think")", "0 calls"},
        OpenHandsResultCase{"state", "change_agent_state",
                            R"("observation": "agent_state_changed")", "0 calls"},
        OpenHandsResultCase{"condensation", "condensation", R"("observation": "condense")",
                            "0 calls"}),
    [](const auto& row) { return row.param.name; });

TEST(OpenHands, WhatTheUserRunsIsNoCall) {
  const Execution got = only(read_openhands_text(R"([
    {"id": 0, "source": "user", "action": "message", "args": {"content": "go"}},
    {"id": 1, "source": "user", "action": "run", "args": {"command": "ls"}},
    {"id": 2, "source": "user", "observation": "run", "cause": 1, "content": "", "extras": {"exit_code": 1}}])"));
  EXPECT_EQ(got.tool_calls, 0);
  EXPECT_EQ(got.orphan_results, 0);
}

TEST(OpenHands, AResultWithoutItsCallIsAnOrphan) {
  const Execution got = only(read_openhands_text(
      R"([{"id": 9, "source": "agent", "observation": "run", "cause": 8, "content": "",
    "extras": {"exit_code": 1}, "tool_call_metadata": {"tool_call_id": "t"}}])"));
  EXPECT_EQ(got.orphan_results, 1);
  EXPECT_EQ(got.tool_calls, 0);
}

TEST(OpenHands, StoppingTheAgentIsACorrection) {
  EXPECT_EQ(
      only(
          read_openhands_text(
              R"([{"id": 1, "source": "user", "action": "change_agent_state", "args": {"agent_state": "stopped"}},
    {"id": 2, "source": "user", "action": "change_agent_state", "args": {"agent_state": "running"}}])"))
          .corrections,
      1);
}

TEST(OpenHands, AnAgentInErrorIsTheEnd) {
  EXPECT_EQ(
      only(
          read_openhands_text(
              R"([{"id": 1, "source": "environment", "observation": "agent_state_changed", "extras": {"agent_state": "error"}}])"))
          .ended_in_error,
      true);
}

TEST(OpenHands, ATrajectoryMayStandInADocument) {
  EXPECT_EQ(
      only(read_openhands_text(std::string(R"({"trajectory": )") + kTrajectory + "}")).tool_calls,
      2);
}

TEST(OpenHands, TheLastMessageIsTheAnswerWhereNothingIsFinished) {
  EXPECT_EQ(
      only(read_openhands_text(
               R"([{"id": 1, "source": "agent", "action": "message", "args": {"content": "one"}},
    {"id": 2, "source": "agent", "action": "message", "args": {"content": "two"}},
    {"id": 3, "source": "user", "action": "message", "args": {"content": "three"}}])"))
          .output,
      "two");
}

// Evaluations.

TEST(OpenHands, ALineOfAnEvaluationIsAnExecution) {
  const LogText got = read_openhands_text(
      R"({"instance_id": "django-1", "instruction": "…", "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "gpt-x"}, "max_iterations": 30}, "history": [[{"id": 1, "source": "agent", "action": "run", "args": {"command": "a"}, "timestamp": "2024-09-01T10:00:00"}, {"id": 2, "observation": "run", "cause": 1, "content": "", "extras": {"exit_code": 1}, "timestamp": "2024-09-01T10:00:03"}], [{"id": 3, "source": "agent", "action": "finish", "args": {"outputs": {}, "thought": "bye"}}, {"observation": "null", "content": ""}]], "metrics": {"accumulated_cost": 0.25, "costs": [0.25]}, "error": null}
{"issue": {"number": 12}, "history": [], "metrics": {"accumulated_cost": 0.5}, "error": "agent reached maximum iteration"}
{"instance_id": "django-1", "history": [], "metrics": null, "error": ""}
)");
  ASSERT_EQ(got.executions.size(), 3u);
  const Execution& first = got.executions[0];
  EXPECT_EQ(first.id, "django-1");
  EXPECT_EQ(first.agent, "CodeActAgent");
  EXPECT_EQ(first.model, "gpt-x");
  EXPECT_EQ(first.failed, 1);
  EXPECT_EQ(first.tool_calls, 1);
  EXPECT_DOUBLE_EQ(first.duration.value_or(0), 3);
  EXPECT_DOUBLE_EQ(first.cost.value_or(0), 0.25);
  EXPECT_TRUE(first.cost_is_stated);
  EXPECT_EQ(first.output, "bye");
  EXPECT_EQ(first.ended_in_error, false);
  EXPECT_EQ(got.executions[1].id, "12");
  EXPECT_EQ(got.executions[1].ended_in_error, true);
  EXPECT_EQ(got.executions[2].id, "django-1#2");
  EXPECT_EQ(got.executions[2].ended_in_error, false);
}

TEST(OpenHands, EventsOf2024AreFlatAndFollowEachOther) {
  const Execution got = only(
      read_openhands_text(R"({"instance_id": "i", "metrics": {"accumulated_cost": 1}, "history": [
    {"content": "fix it", "action": "message"},
    {"command": "ls", "thought": "look", "action": "run", "is_confirmed": "confirmed"},
    {"content": "", "command": "ls", "exit_code": 1, "observation": "run"},
    {"command": "ls", "thought": "look again", "action": "run"},
    {"content": "", "command": "ls", "exit_code": 0, "observation": "run"},
    {"code": "1/0", "action": "run_ipython"},
    {"content": "fine", "code": "1/0", "observation": "run_ipython"},
    {"content": "late", "observation": "run", "exit_code": 1},
    {"outputs": {}, "thought": "ready", "action": "finish"}]})"));
  EXPECT_EQ(got.tool_calls, 3);
  EXPECT_EQ(got.failed, 1);
  EXPECT_EQ(got.succeeded, 2);
  EXPECT_EQ(got.repeats, 1);
  EXPECT_EQ(got.orphan_results, 0);
  EXPECT_EQ(got.calls.at(0).input, R"({"command":"ls"})");
}

TEST(OpenHands, TokensOfALineAreThoseOfItsMetrics) {
  const auto tokens = [](const std::string& metrics) {
    return only(
               read_openhands_text(
                   R"({"instance_id": "i", "history": [{"id": 1, "source": "agent", "action": "run", "args": {},
      "tool_call_metadata": {"model_response": {"id": "r", "model": "m", "usage": {"prompt_tokens": 7, "completion_tokens": 1}}}}],
      "metrics": )" +
                   metrics + "}"))
        .tokens.value_or(Tokens{});
  };
  EXPECT_EQ(
      tokens(
          R"({"accumulated_token_usage": {"model": "m", "prompt_tokens": 50, "completion_tokens": 5}})")
          .input,
      50);
  EXPECT_EQ(
      tokens(
          R"({"token_usages": [{"model": "m", "prompt_tokens": 20}, {"model": "m", "prompt_tokens": 30}]})")
          .input,
      50);
  EXPECT_EQ(tokens(R"({"accumulated_cost": 1})").input, 7);
}

// V1.

constexpr const char* kV1 = R"([
  {"id": "e0", "timestamp": "2026-02-26T09:00:00.000000", "source": "agent", "system_prompt": {"type": "text", "text": "…"}, "tools": [], "kind": "SystemPromptEvent"},
  {"id": "e1", "timestamp": "2026-02-26T09:00:01.000000", "source": "user", "llm_message": {"role": "user", "content": [{"type": "text", "text": "go"}]}, "kind": "MessageEvent"},
  {"id": "e2", "timestamp": "2026-02-26T09:00:03.000000", "source": "agent", "thought": [], "action": {"command": "pytest", "kind": "TerminalAction"},
   "tool_name": "terminal", "tool_call_id": "c1", "tool_call": {"id": "c1", "name": "terminal", "arguments": "{}"}, "llm_response_id": "r", "kind": "ActionEvent"},
  {"id": "e3", "timestamp": "2026-02-26T09:00:07.000000", "source": "environment", "tool_name": "terminal", "tool_call_id": "c1", "action_id": "e2",
   "observation": {"content": [{"type": "text", "text": "1 failed"}], "exit_code": 1, "is_error": false, "kind": "TerminalObservation"}, "kind": "ObservationEvent"},
  {"id": "e4", "timestamp": "2026-02-26T09:00:08.000000", "source": "agent", "action": {"thought": "hm", "kind": "ThinkAction"}, "tool_name": "think", "tool_call_id": "c2", "kind": "ActionEvent"},
  {"id": "e5", "timestamp": "2026-02-26T09:00:08.100000", "source": "environment", "tool_name": "think", "tool_call_id": "c2", "observation": {"content": []}, "kind": "ObservationEvent"},
  {"id": "e6", "timestamp": "2026-02-26T09:00:09.000000", "source": "environment", "key": "stats", "value": {"usage_to_metrics": {
     "agent": {"model_name": "big", "accumulated_cost": 0.5, "accumulated_token_usage": {"prompt_tokens": 1000, "completion_tokens": 10, "cache_read_tokens": 800}},
     "condenser": {"model_name": "small", "accumulated_cost": 0.25, "accumulated_token_usage": {"prompt_tokens": 100, "completion_tokens": 1}}}}, "kind": "ConversationStateUpdateEvent"},
  {"id": "e7", "timestamp": "2026-02-26T09:00:10.000000", "source": "agent", "action": {"message": "All done:\n\n- tests", "kind": "FinishAction"}, "tool_name": "finish", "tool_call_id": "c3", "kind": "ActionEvent"},
  {"id": "e8", "timestamp": "2026-02-26T09:00:10.100000", "source": "environment", "tool_name": "finish", "tool_call_id": "c3", "observation": {"content": []}, "kind": "ObservationEvent"},
  {"id": "e9", "timestamp": "2026-02-26T09:00:11.000000", "source": "environment", "key": "execution_status", "value": "finished", "kind": "ConversationStateUpdateEvent"}
])";

TEST(OpenHandsV1, ReadsEvents) {
  const Execution got = only(read_openhands_text(kV1));
  EXPECT_EQ(got.tool_calls, 1);
  EXPECT_EQ(got.failed, 1);
  EXPECT_EQ(got.orphan_results, 0);
  EXPECT_EQ(got.calls.at(0).name, "terminal");
  EXPECT_EQ(got.calls.at(0).exit_code, 1);
  EXPECT_EQ(got.calls.at(0).error, "1 failed");
  EXPECT_DOUBLE_EQ(got.duration.value_or(0), 11);
  EXPECT_DOUBLE_EQ(got.active.value_or(0), 10);
  EXPECT_EQ(got.output, "All done:\n\n- tests");
  EXPECT_EQ(got.model, "big");
  EXPECT_EQ(got.tokens.value_or(Tokens{}).input, 1100);
  EXPECT_EQ(got.tokens.value_or(Tokens{}).output, 11);
  EXPECT_DOUBLE_EQ(got.cost.value_or(0), 0.75);
  EXPECT_EQ(got.ended_in_error, false);
}

struct OpenHandsV1Case {
  const char* name;
  const char* result;
  const char* want;
};
class OpenHandsV1Result : public testing::TestWithParam<OpenHandsV1Case> {};
TEST_P(OpenHandsV1Result, IsRead) {
  EXPECT_EQ(
      outcome(only(read_openhands_text(fmt::format(
          R"([{{"kind": "ActionEvent", "source": "agent", "id": "e", "tool_name": "terminal", "tool_call_id": "c", "action": {{"command": "x"}}}},
                   {{"source": "environment", "tool_name": "terminal", "tool_call_id": "c", {}}}])",
          GetParam().result)))),
      GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Trace, OpenHandsV1Result,
    testing::Values(
        OpenHandsV1Case{
            "code_0",
            R"("kind": "ObservationEvent", "observation": {"exit_code": 0, "error": false})",
            "success"},
        OpenHandsV1Case{
            "code_1_without_error",
            R"("kind": "ObservationEvent", "observation": {"exit_code": 1, "error": false})",
            "failure"},
        OpenHandsV1Case{
            "code_in_metadata",
            R"("kind": "ObservationEvent", "observation": {"metadata": {"exit_code": 3}})",
            "failure"},
        OpenHandsV1Case{
            "still_running",
            R"("kind": "ObservationEvent", "observation": {"exit_code": -1, "is_error": false})",
            "unknown"},
        OpenHandsV1Case{"error", R"("kind": "ObservationEvent", "observation": {"is_error": true})",
                        "failure"},
        OpenHandsV1Case{
            "error_text",
            R"("kind": "ObservationEvent", "observation": {"error": "no such file", "output": ""})",
            "failure"},
        OpenHandsV1Case{
            "no_error",
            R"("kind": "ObservationEvent", "observation": {"error": null, "output": "error: in a file"})",
            "success"},
        OpenHandsV1Case{
            "by_output",
            R"("kind": "ObservationEvent", "observation": {"content": [{"text": "fatal: not a repository"}]})",
            "failure"},
        OpenHandsV1Case{"agent_error", R"("kind": "AgentErrorEvent", "error": "bad arguments")",
                        "failure"},
        OpenHandsV1Case{"refused", R"("kind": "UserRejectObservation", "rejection_reason": "no")",
                        "refused"},
        OpenHandsV1Case{"refused_by_a_hook",
                        R"("kind": "UserRejectObservation", "rejection_source": "hook")",
                        "failure"},
        OpenHandsV1Case{"none", R"("kind": "PauseEvent")", "unknown"}),
    [](const auto& row) { return row.param.name; });

TEST(OpenHandsV1, InterruptionsAndErrors) {
  const Execution got = only(read_openhands_text(R"([{"kind": "InterruptEvent", "source": "user"},
    {"kind": "ConversationErrorEvent", "source": "environment", "code": "x", "detail": "y"}])"));
  EXPECT_EQ(got.corrections, 1);
  EXPECT_EQ(got.ended_in_error, true);
}

TEST(OpenHandsV1, EventsWithoutIdsFollowEachOther) {
  const Execution got = only(read_openhands_text(R"({"instance_id": "i", "history": [
    {"kind": "ActionEvent", "tool_name": "terminal", "action": {"command": "a"}}, {"kind": "ObservationEvent", "observation": {"exit_code": 1}},
    {"kind": "ActionEvent", "tool_name": "terminal", "action": {"command": "b"}}, {"kind": "ObservationEvent", "observation": {"exit_code": 0}}]})"));
  EXPECT_EQ(got.tool_calls, 2);
  EXPECT_EQ(got.failed, 1);
  EXPECT_EQ(got.succeeded, 1);
}

TEST(OpenHandsV1, CallsOfOtherAgents) {
  const Execution got = only(read_openhands_text(R"([
    {"kind": "ACPToolCallEvent", "source": "agent", "tool_call_id": "a", "title": "Read", "status": "in_progress", "raw_input": {}},
    {"kind": "ACPToolCallEvent", "source": "agent", "tool_call_id": "a", "title": "Read", "status": "completed", "raw_input": {}},
    {"kind": "ACPToolCallEvent", "source": "agent", "tool_call_id": "b", "title": "Bash", "status": "failed", "is_error": true}])"));
  EXPECT_EQ(got.tool_calls, 2);
  EXPECT_EQ(got.failed, 1);
}

TEST(OpenHands, WrongTypesAreAbsent) {
  const Execution got = only(
      read_openhands_text(R"([{"id": [], "source": 4, "action": 5}, {"kind": 7, "observation": {}},
    {"source": "agent", "action": "run", "args": [1], "id": {}, "tool_call_metadata": "x", "llm_metrics": 3, "timestamp": false},
    {"observation": "run", "cause": "?", "content": 5, "extras": "none"}, {"kind": "ConversationStateUpdateEvent", "key": "stats", "value": {"usage_to_metrics": {"a": 1}}},
    {"instance_id": null, "history": 5}, {"kind": "MessageEvent", "source": "agent", "llm_message": []}])"));
  EXPECT_EQ(got.tool_calls, 1);
}

TEST(OpenHands, CutOrGarbledAnywhere) {
  for (const std::string log : {kTrajectory, kV1}) {
    EXPECT_EQ(read_openhands_text(log.substr(0, log.size() / 2)).bad.count, 1u);
    expect_few_of_broken(*find_format("openhands"), log);
  }
}

}  // namespace vibe::trace
