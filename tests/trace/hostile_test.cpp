// Logs that are made to take long or much. Each of them takes hours, or more memory than there is,
// unless the time and the memory of a reader grow with the log alone.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/reading.h"

namespace vibe::trace {

namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr int kMany = 100'000;

LogText read_named(std::string_view format, std::string text, bool keep_calls = false) {
  return read_as(*find_format(format), std::move(text), 1, keep_calls);
}

TEST(HostileLog, AMessageOverManyLines) {
  std::string log;
  for (int i = 0; i < kMany; ++i)
    log += fmt::format(
        R"({{"type":"assistant","sessionId":"s","message":{{"id":"m","content":[{{"type":"text","text":"line {} {}"}}]}}}})"
        "\n",
        i, std::string(80, 'x'));
  const Execution one = only(read_named("claude", log));
  EXPECT_EQ(one.output.size(), kMostAnswer);
  EXPECT_TRUE(one.output.starts_with("line 0 x"));
  EXPECT_THAT(one.notes, Contains(HasSubstr("longer than 4 MiB")));
}

TEST(HostileLog, PiecesOfAMessageAreJoinedOnce) {
  const auto line = [](std::string_view id, std::string_view text) {
    return fmt::format(
        R"({{"type":"assistant","sessionId":"s","message":{{"id":"{}","content":[{{"type":"text","text":"{}"}}]}}}})"
        "\n",
        id, text);
  };
  EXPECT_EQ(
      only(read_named("claude", line("a", "one") + line("b", "two") + line("b", "three"))).output,
      "two\n\nthree");
  EXPECT_EQ(
      only(read_named("claude", line("a", "one") + line("b", "two") + line("a", "three"))).output,
      "three");
  EXPECT_EQ(only(read_named("claude", line("", "one") + line("", "two"))).output, "two");
}

TEST(HostileLog, AModelOfItsOwnForEachMessage) {
  std::string log;
  for (int i = 0; i < kMany; ++i)
    log += fmt::format(
        R"({{"type":"assistant","sessionId":"s","message":{{"id":"m{0}","model":"made-up-{0}","usage":{{"input_tokens":1}}}}}})"
        "\n",
        i);
  EXPECT_EQ(only(read_named("claude", log)).tokens->input, kMany);
}

TEST(HostileLog, ResultsBesideManyMembers) {
  std::string blocks, members;
  for (int i = 0; i < kMany; ++i) {
    blocks += fmt::format(R"({}{{"type":"tool_result","tool_use_id":"{}"}})", i > 0 ? "," : "", i);
    members += fmt::format(R"(,"m{}":0)", i);
  }
  const Execution one = only(read_named(
      "claude", fmt::format(R"({{"type":"user","sessionId":"s","message":{{"content":[{}]}}{}}})",
                            blocks, members)));
  EXPECT_EQ(one.orphan_results, kMany);
}

TEST(HostileLog, AnInstanceThatIsTriedVeryOften) {
  std::string log;
  for (int i = 0; i < kMany; ++i) log += "{\"instance_id\":\"i\",\"history\":[],\"error\":null}\n";
  const auto read = read_named("openhands", log);
  ASSERT_EQ(read.executions.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(read.executions[0].id, "i");
  EXPECT_EQ(read.executions[1].id, "i#2");
  EXPECT_EQ(read.executions.back().id, fmt::format("i#{}", kMany));
}

TEST(HostileLog, AnAttemptIsNotCalledAsAnother) {
  const auto line = [](std::string_view id) {
    return fmt::format("{{\"instance_id\":\"{}\",\"history\":[],\"error\":null}}\n", id);
  };
  const auto read = read_named("openhands", line("i#2") + line("i") + line("i") + line("i#2"));
  std::vector<std::string> ids;
  for (const auto& one : read.executions) ids.push_back(one.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"i#2", "i", "i#3", "i#2#2"}));
}

// `{"eval": …, "samples": [{…}]}`
std::string inspect_log(std::string_view model, std::string_view samples) {
  return fmt::format(
      R"({{"version":2,"status":"success","eval":{{"task":"t","model":"{}"}},"samples":[{}]}})",
      model, samples);
}

TEST(HostileLog, ManyPiecesAndManyAttachments) {
  std::string pieces, attachments;
  for (int i = 0; i < kMany; ++i) {
    pieces += fmt::format(R"({}{{"type":"text","text":"attachment://a{}"}})", i > 0 ? "," : "", i);
    attachments += fmt::format(R"({}"a{}":"x")", i > 0 ? "," : "", i);
  }
  const Execution one = only(read_named(
      "inspect",
      inspect_log("m",
                  fmt::format(R"({{"id":"1","messages":[{{"role":"assistant","content":[{}]}}],)"
                              R"("attachments":{{{}}}}})",
                              pieces, attachments))));
  EXPECT_EQ(one.output.size(), 2u * kMany - 1);
}

TEST(HostileLog, AnAttachmentThatStandsForManyPieces) {
  std::string pieces;
  for (int i = 0; i < kMany; ++i)
    pieces += fmt::format(R"({}{{"type":"text","text":"attachment://a"}})", i > 0 ? "," : "");
  const Execution one = only(read_named(
      "inspect",
      inspect_log("m",
                  fmt::format(R"({{"id":"1","messages":[{{"role":"assistant","content":[{}]}}],)"
                              R"("attachments":{{"a":"{}"}}}})",
                              pieces, std::string(3 << 20, 'x')))));
  EXPECT_LE(one.output.size(), kMostAnswer + kMany);
}

TEST(HostileLog, AnErrorThatManyCallsHaveAndManyAttachmentsAre) {
  std::string events, attachments;
  for (int i = 0; i < kMany; ++i) {
    events += fmt::format(
        R"({}{{"event":"tool","id":"{}","function":"f","error":{{"message":"attachment://a"}}}})",
        i > 0 ? "," : "", i);
    attachments += fmt::format(R"({}"a":"no")", i > 0 ? "," : "");
  }
  const Execution one = only(
      read_named("inspect",
                 inspect_log("m", fmt::format(R"({{"id":"1","events":[{}],"attachments":{{{}}}}})",
                                              events, attachments)),
                 true));
  EXPECT_EQ(one.failed, kMany);
  EXPECT_EQ(one.calls.back().error, "no");
}

TEST(HostileLog, ALongNameOfManySamples) {
  std::string samples;
  for (int i = 0; i < kMany; ++i) samples += fmt::format(R"({}{{"id":"{}"}})", i > 0 ? "," : "", i);
  const auto read = read_named("inspect", inspect_log(std::string(5 << 20, 'm'), samples));
  ASSERT_EQ(read.executions.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(read.executions[0].model, std::string(kMostName, 'm'));
}

std::string nested_span(int number, std::string_view more) {
  return fmt::format(
      R"({{"trace_id":"t","span_id":"{}","parent_span_id":"{}","name":"s","start_time":1,"attributes":{{{}}}}})"
      "\n",
      number + 1, number, more);
}

TEST(HostileLog, CallsWithinCalls) {
  std::string log;
  for (int i = 0; i < kMany; ++i)
    log += nested_span(i, R"("gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"f")");
  EXPECT_EQ(only(read_named("otel", log)).tool_calls, 1);
}

TEST(HostileLog, RequestsWithinRequests) {
  std::string log;
  for (int i = 0; i < kMany; ++i)
    log += nested_span(i, R"("gen_ai.system":"x","http.request.resend_count":1)");
  EXPECT_EQ(only(read_named("otel", log)).api_retries, kMany);
}

TEST(HostileLog, ALongIdOfManySpans) {
  std::string spans;
  for (int i = 0; i < kMany; ++i)
    spans += fmt::format(R"({}{{"span_id":"{}","name":"s","attributes":{{"gen_ai.system":"x"}}}})",
                         i > 0 ? "," : "", i);
  const Execution one = only(
      read_named("otel", fmt::format(R"({{"trace_id":"{}","span_id":"r","name":"r","start_time":1,)"
                                     R"("attributes":{{"gen_ai.system":"x"}},"children":[{}]}})",
                                     std::string(5 << 20, 't'), spans)));
  EXPECT_LE(one.id.size(), kMostName + 20);
}

TEST(HostileLog, ALongIdOfManyCalls) {
  std::string calls;
  for (int i = 0; i < kMany; ++i) calls += fmt::format(R"({}{{"name":"f"}})", i > 0 ? "," : "");
  const Execution one = only(read_named(
      "gemini", fmt::format(R"({{"sessionId":"s","projectHash":"p","messages":[{{"type":"gemini",)"
                            R"("id":"{}","toolCalls":[{}]}}]}})",
                            std::string(5 << 20, 'i'), calls)));
  EXPECT_EQ(one.tool_calls, kMany);
}

TEST(HostileLog, DocumentsThatAreAllBroken) {
  std::string log = "execution: {tools: {}}\n";
  for (int i = 0; i < 20'000; ++i) log += "---\n]\n";
  const auto read = read_named("record", log);
  EXPECT_TRUE(read.problems.failed());
  EXPECT_LE(read.problems.all().size(), 200u);
}

struct LimitedCase {
  const char *format, *line;  // of the session `{}`
};
class LimitedLog : public testing::TestWithParam<LimitedCase> {};

TEST_P(LimitedLog, OfTooManySessionsIsAnError) {
  const LogFormat& format = *find_format(GetParam().format);
  for (const std::size_t sessions : {3u, 4u, 1000u}) {
    std::string log;
    for (std::size_t i = 0; i < sessions; ++i) {
      std::string line = GetParam().line;
      for (auto at = line.find("{}"); at != line.npos; at = line.find("{}"))
        line.replace(at, 2, std::to_string(i));
      log += line + "\n";
    }
    Options options = options_for(2, false);
    const Options limited{.keep_calls = false,
                          .threads = options.threads,
                          .errors = options.errors,
                          .prices = options.prices,
                          .most_sessions = 3};
    Reading reading("log", limited);
    format.read(base::Input::of("log", log), reading);
    const bool failed = reading.problems().failed();
    const auto executions = reading.finish(format.name);
    EXPECT_EQ(failed, sessions > 3);
    EXPECT_EQ(executions.size(), sessions > 3 ? 0u : 3u);
    if (!failed) continue;
    EXPECT_EQ(reading.problems().all()[0].message, "the log has more than 3 sessions");
    EXPECT_EQ(reading.problems().all().size(), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Trace, LimitedLog,
    testing::Values(
        LimitedCase{"hook",
                    R"({"ts":"2026-01-01T00:00:00Z","tool":"Bash","exit":0,"session":"{}"})"},
        LimitedCase{"claude", R"({"type":"user","sessionId":"{}","message":{"content":"hi"}})"},
        LimitedCase{"vibecheck", R"({"id":"{}","format":"hook","tool_calls":1,"failed_calls":0})"},
        LimitedCase{"openhands", R"({"instance_id":"{}","history":[],"error":null})"},
        LimitedCase{"atif", R"({"session_id":"{}","steps":[{"source":"user","message":"hi"}]})"},
        LimitedCase{"record", "---\nexecution: {id: \"{}\", tools: {Bash: {calls: 1}}}"}),
    [](const auto& row) { return std::string(row.param.format); });

}  // namespace

}  // namespace vibe::trace
