// Records of Gemini CLI: documents, lines, and streams.

#include <gtest/gtest.h>

#include "trace/reading.h"

namespace vibe::trace {

namespace {

LogText read_gemini_text(std::string bytes) {
  return read_as(*find_format("gemini"), std::move(bytes));
}

Execution chat(const std::string& messages) {
  return only(read_gemini_text(
      R"({"sessionId": "s-1", "projectHash": "h", "startTime": "2026-01-05T10:00:00.000Z",
    "lastUpdated": "2026-01-09T10:00:00.000Z", "messages": [)" +
      messages + "]}"));
}

constexpr const char* kMessages = R"(
  {"id": "m1", "timestamp": "2026-01-05T10:00:10.000Z", "type": "user", "content": "fix it"},
  {"id": "m2", "timestamp": "2026-01-05T10:00:12.000Z", "type": "gemini", "content": "", "model": "gemini-2.5-pro",
   "thoughts": [{"subject": "s", "description": "d"}],
   "tokens": {"input": 1000, "output": 20, "cached": 600, "thoughts": 30, "tool": 7, "total": 1057},
   "toolCalls": [
     {"id": "c1", "name": "read_file", "args": {"path": "a"}, "status": "success", "timestamp": "2026-01-05T10:00:13.000Z",
      "result": [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "error: not one"}}}]},
     {"id": "c2", "name": "replace", "args": {"path": "b"}, "status": "error", "timestamp": "2026-01-05T10:00:14.000Z",
      "result": [{"functionResponse": {"response": {"error": "no match"}}}], "resultDisplay": "shown"},
     {"id": "c3", "name": "run_shell_command", "args": {"command": "rm"}, "status": "cancelled",
      "timestamp": "2026-01-05T10:00:15.000Z"},
     {"id": "c4", "name": "glob", "args": {}, "status": "executing", "timestamp": "2026-01-05T10:00:16.000Z"}]},
  {"id": "m3", "timestamp": "2026-01-05T10:00:20.000Z", "type": "gemini", "content": "Done:\n\n1. all", "model": "gemini-2.5-pro",
   "tokens": {"input": 2000, "output": 50, "cached": 0, "thoughts": 0, "tool": 0, "total": 2050}},
  {"id": "m4", "timestamp": "2026-01-05T12:00:00.000Z", "type": "user", "content": [{"text": "thanks"}]},
  {"id": "m5", "timestamp": "2026-01-05T12:00:05.000Z", "type": "gemini", "content": [{"text": "hm", "thought": true}, {"text": "You are "}, {"text": "welcome"}], "tokens": null}
)";

}  // namespace

TEST(Gemini, ReadsARecord) {
  const Execution got = chat(kMessages);
  EXPECT_EQ(got.id, "s-1");
  EXPECT_EQ(got.agent, "Gemini CLI");
  EXPECT_EQ(got.model, "gemini-2.5-pro");
  EXPECT_EQ(got.tool_calls, 4);
  EXPECT_EQ(got.succeeded, 1);
  EXPECT_EQ(got.failed, 1);
  EXPECT_EQ(got.refused, 1);
  EXPECT_EQ(got.corrections, 1);
  EXPECT_EQ(got.unanswered, 1);
  EXPECT_TRUE(got.writes_files);
  EXPECT_DOUBLE_EQ(got.duration.value_or(0), 2 * 3600 - 5);
  EXPECT_DOUBLE_EQ(got.active.value_or(0), 15);  // 10 of the first prompt, 5 of the second
  EXPECT_EQ(got.output, "You are welcome");
  EXPECT_EQ(got.ended_in_error, false);
  ASSERT_EQ(got.calls.size(), 4u);
  EXPECT_EQ(got.calls[1].error, "no match");
  EXPECT_EQ(got.calls[0].input, R"({"path":"a"})");
}

TEST(Gemini, ThoughtsAreOutputUnlessTheTotalSaysOtherwise) {
  const Tokens tokens = chat(kMessages).tokens.value_or(Tokens{});
  EXPECT_EQ(tokens.input, 1007 + 2000);
  EXPECT_EQ(tokens.output, 50 + 50);
  EXPECT_EQ(tokens.cache_read, 600);
  EXPECT_TRUE(tokens.cache_in_input);
  const Execution inside = chat(R"({"id": "a", "type": "gemini", "content": "x",
    "tokens": {"input": 10, "output": 9, "thoughts": 4, "total": 19}})");
  EXPECT_EQ(inside.tokens.value_or(Tokens{}).output, 9);
}

TEST(Gemini, LinesAreWrittenAgainWhenTheyChange) {
  const Execution got = only(read_gemini_text(
      R"({"sessionId":"s-2","projectHash":"h","startTime":"2026-05-17T11:07:00.000Z","lastUpdated":"2026-05-17T11:07:00.000Z","kind":"main"}
{"id":"u","timestamp":"2026-05-17T11:07:01.000Z","type":"user","content":[{"text":"go"}]}
{"$set":{"lastUpdated":"2026-05-17T11:07:01.000Z"}}
{"id":"g","timestamp":"2026-05-17T11:07:05.000Z","type":"gemini","content":"","toolCalls":[{"id":"c","name":"glob","args":{},"status":"executing"}]}
{"id":"g","timestamp":"2026-05-17T11:07:05.000Z","type":"gemini","content":"","toolCalls":[{"id":"c","name":"glob","args":{},"status":"success"}],"tokens":{"input":5,"output":1,"total":6}}
{"id":"g","timestamp":"2026-05-17T11:07:05.000Z","type":"gemini","content":"","toolCalls":[{"id":"c","name":"glob","args":{},"status":"success"}],"tokens":{"input":5,"output":2,"total":7}}
{"id":"g2","timestamp":"2026-05-17T11:07:09.000Z","type":"gemini","content":"ok","tokens":{"input":6,"output":1,"total":7}}
{"$set":{"messages":[{"id":"u","timestamp":"2026-05-17T11:07:01.000Z","type":"user","content":[{"text":"go"}]},{"id":"r","timestamp":"2026-05-17T11:07:06.000Z","type":"user","content":[{"functionResponse":{"id":"c"}}]},{"id":"g2","timestamp":"2026-05-17T11:07:09.000Z","type":"gemini","content":[{"text":"ok"}]}]}}
)"));
  EXPECT_EQ(got.id, "s-2");
  EXPECT_EQ(got.tool_calls, 1);
  EXPECT_EQ(got.succeeded, 1);
  EXPECT_EQ(got.tokens.value_or(Tokens{}).input, 11);
  EXPECT_EQ(got.tokens.value_or(Tokens{}).output, 3);
  EXPECT_DOUBLE_EQ(got.duration.value_or(0), 8);
  EXPECT_DOUBLE_EQ(got.active.value_or(0), 8);
  EXPECT_EQ(got.output, "ok");
}

TEST(Gemini, ABadLineDoesNotTakeTheOthersWithIt) {
  const LogText got = read_gemini_text(R"({"sessionId":"s","projectHash":"h"}
{"id":"u","type":"user","conte
{"id":"g","type":"gemini","content":"fine"}
)");
  EXPECT_EQ(got.bad.count, 1u);
  EXPECT_EQ(only(got).output, "fine");
}

TEST(Gemini, StepsTakenBackAreACorrection) {
  const Execution got = only(read_gemini_text(R"({"sessionId":"s","projectHash":"h"}
{"id":"g","type":"gemini","content":"wrong"}
{"$rewindTo":"g"}
{"id":"g2","type":"gemini","content":"right"}
)"));
  EXPECT_EQ(got.corrections, 1);
  EXPECT_EQ(got.output, "right");
}

TEST(Gemini, AnInterruptionCountsOnce) {
  const std::string info = R"({"id": "i", "type": "info", "content": "Request cancelled."})";
  EXPECT_EQ(chat(info).corrections, 1);
  EXPECT_EQ(chat(R"({"id": "g", "type": "gemini", "content": "", "toolCalls": [
    {"id": "c", "name": "f", "args": {}, "status": "cancelled"}]}, )" +
                 info)
                .corrections,
            1);
  EXPECT_EQ(chat(R"({"id": "u", "type": "user", "content": "go"},
    {"id": "i", "type": "info", "content": "Update available"})")
                .corrections,
            0);
}

TEST(Gemini, AnErrorAtTheEndIsTheEnd) {
  const std::string error = R"({"id": "e", "type": "error", "content": "[API Error: quota]"})",
                    answer = R"({"id": "g", "type": "gemini", "content": "x"})";
  EXPECT_EQ(chat(answer + "," + error).ended_in_error, true);
  EXPECT_EQ(chat(error + "," + answer).ended_in_error, false);
}

TEST(Gemini, TheSpanOfTheRecordWhereMessagesHaveNoTimes) {
  EXPECT_DOUBLE_EQ(chat(R"({"id": "g", "type": "gemini", "content": "x"})").duration.value_or(0),
                   4 * 86400);
}

TEST(Gemini, CallsWithoutAnIdAreToldApart) {
  const Execution got = chat(R"({"id": "g", "type": "gemini", "toolCalls": [
    {"name": "f", "args": {"x": 1}, "status": "error"}, {"name": "f", "args": {"x": 1}, "status": "success"}]})");
  EXPECT_EQ(got.tool_calls, 2);
  EXPECT_EQ(got.failed, 1);
  EXPECT_EQ(got.repeats, 1);
}

constexpr const char* kStream =
    R"({"type":"init","timestamp":"2026-08-09T15:00:00.000Z","session_id":"st","model":"gemini-3-flash"}
{"type":"message","timestamp":"2026-08-09T15:00:00.100Z","role":"user","content":"go"}
{"type":"message","timestamp":"2026-08-09T15:00:01.000Z","role":"assistant","content":"I look","delta":true}
{"type":"tool_use","timestamp":"2026-08-09T15:00:02.000Z","tool_name":"run_shell_command","tool_id":"t1","parameters":{"command":"ls"}}
{"type":"tool_result","timestamp":"2026-08-09T15:00:03.000Z","tool_id":"t1","status":"success","output":"a"}
{"type":"tool_use","timestamp":"2026-08-09T15:00:04.000Z","tool_name":"read_file","tool_id":"t2","parameters":{}}
{"type":"tool_result","timestamp":"2026-08-09T15:00:05.000Z","tool_id":"t2","status":"error","output":"","error":{"type":"invalid_tool_params","message":"outside of the workspace"}}
{"type":"message","timestamp":"2026-08-09T15:00:06.000Z","role":"assistant","content":"# The","delta":true}
{"type":"message","timestamp":"2026-08-09T15:00:07.000Z","role":"assistant","content":" answer","delta":true}
{"type":"result","timestamp":"2026-08-09T15:00:08.000Z","status":"success","stats":{"total_tokens":1100,"input_tokens":1000,"output_tokens":40,"cached":300,"input":700,"duration_ms":8000,"tool_calls":2}}
)";

TEST(Gemini, ReadsAStream) {
  const Execution got = only(read_gemini_text(kStream));
  EXPECT_EQ(got.id, "st");
  EXPECT_EQ(got.model, "gemini-3-flash");
  EXPECT_EQ(got.tool_calls, 2);
  EXPECT_EQ(got.failed, 1);
  EXPECT_EQ(got.calls.at(1).error, "outside of the workspace");
  EXPECT_DOUBLE_EQ(got.duration.value_or(0), 8);
  EXPECT_EQ(got.output, "# The answer");
  EXPECT_EQ(got.tokens.value_or(Tokens{}).input, 1000);
  EXPECT_EQ(got.tokens.value_or(Tokens{}).output, 100);  // with the thoughts
  EXPECT_EQ(got.tokens.value_or(Tokens{}).cache_read, 300);
  EXPECT_EQ(got.ended_in_error, false);
}

TEST(Gemini, TheEndOfAStreamHasTokensOfEachModel) {
  const Execution got = only(read_gemini_text(
      R"({"type":"init","timestamp":"2026-08-09T15:00:00.000Z","session_id":"st","model":"auto"}
{"type":"result","timestamp":"2026-08-09T15:00:08.000Z","status":"error","error":{"type":"t","message":"m"},"stats":{"total_tokens":99,"input_tokens":90,"output_tokens":9,"models":{"a":{"total_tokens":30,"input_tokens":20,"output_tokens":9},"b":{"total_tokens":3,"input_tokens":2,"output_tokens":1}}}}
)"));
  EXPECT_EQ(got.tokens.value_or(Tokens{}).input, 22);
  EXPECT_EQ(got.tokens.value_or(Tokens{}).output, 11);
  EXPECT_EQ(got.ended_in_error, true);
}

TEST(Gemini, SeveralSessionsOfOneFile) {
  const LogText got = read_gemini_text(R"({"sessionId":"a","projectHash":"h"}
{"id":"1","type":"gemini","content":"x"}
{"sessionId":"b","projectHash":"h"}
{"id":"2","type":"gemini","content":"y"}
)");
  ASSERT_EQ(got.executions.size(), 2u);
  EXPECT_EQ(got.executions[0].output, "x");
  EXPECT_EQ(got.executions[1].id, "b");
}

TEST(Gemini, WrongTypesAreAbsent) {
  const Execution got =
      chat(R"(1, null, "x", {"id": 5, "type": "gemini", "content": 7, "tokens": "many",
    "toolCalls": [1, {"id": "c", "name": 2, "args": 3, "status": 4, "result": {}}], "timestamp": []},
    {"id": "u", "type": "user", "content": {"text": "one part"}})");
  EXPECT_EQ(got.tool_calls, 2);
  EXPECT_EQ(got.unknown, 2);
  EXPECT_FALSE(got.tokens.has_value());
}

TEST(Gemini, WhatComesBeforeTheCutCounts) {
  const std::string log =
      std::string(R"({"sessionId": "s", "projectHash": "h", "messages": [)") + kMessages + "]}";
  const LogText got = read_gemini_text(log.substr(0, log.find("\"m4\"")));
  EXPECT_EQ(got.bad.count, 1u);
  EXPECT_EQ(only(got).output, "Done:\n\n1. all");
  EXPECT_EQ(only(got).tool_calls, 4);
}

TEST(Gemini, CutOrGarbledAnywhere) {
  const std::string document =
      std::string(R"({"sessionId": "s", "projectHash": "h", "messages": [)") + kMessages + "]}";
  expect_few_of_broken(*find_format("gemini"), document);
  expect_few_of_broken(*find_format("gemini"), kStream);
}

}  // namespace vibe::trace
