// Logs of Inspect, as `.json` and as `.eval`.
#include "trace/inspect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/zip_builder.h"
#include "fitness/rubric.h"

namespace vibe::trace {

namespace {

struct InspectText {
  std::vector<Execution> executions;
  std::uint64_t bad_lines = 0;
  std::vector<std::string> problems;
};

InspectText read_inspect_text(std::string bytes, bool keep_calls = true) {
  const ErrorPatterns& errors = fitness::default_rubric().words.errors();
  const price::PriceTable table;
  const Prices prices(table);
  const Options options{.keep_calls = keep_calls, .errors = errors, .prices = prices};
  Reading reading("log", options);
  read_inspect(base::Input::of("log", std::move(bytes)), reading);
  InspectText out{.executions = reading.finish("inspect"),
                  .bad_lines = reading.bad_lines().count,
                  .problems = {}};
  for (const auto& problem : reading.problems().all()) out.problems.push_back(problem.message);
  return out;
}

std::string log_of(const std::string& samples) {
  return R"({"version": 2, "status": "success",
    "eval": {"run_id": "r", "task": "fix_bugs", "model": "openai/gpt-4o-mini"},
    "samples": [)" +
         samples + "]}";
}

Execution only_sample(const InspectText& read) {
  EXPECT_EQ(read.executions.size(), 1u);
  return read.executions.empty() ? Execution{} : read.executions[0];
}

// A sample with these members.
Execution sample(const std::string& members) {
  const std::string separator = members.empty() ? "" : ", ";
  return only_sample(
      read_inspect_text(log_of(R"({"id": 1, "epoch": 1)" + separator + members + "}")));
}

constexpr const char* kFull = R"({"id": "case-7", "epoch": 2, "input": "go", "messages": [
    {"role": "user", "content": "go"},
    {"content": "", "role": "assistant", "tool_calls": [
      {"id": "a", "function": "bash", "arguments": {"cmd": "ls"}},
      {"id": "b", "function": "bash", "arguments": {"cmd": "rm"}}]},
    {"content": "x", "role": "tool", "tool_call_id": "a", "function": "bash"},
    {"content": "", "role": "tool", "tool_call_id": "b", "error": {"type": "timeout", "message": "too slow"}},
    {"content": "done so far", "role": "assistant"}],
  "output": {"choices": [{"message": {"role": "assistant", "content": "attachment://0f"}}]},
  "events": [
    {"event": "model", "timestamp": "2025-05-12T20:00:00+00:00", "input": [{"role": "user"}], "retries": 2},
    {"event": "tool", "id": "a", "function": "bash", "arguments": {"cmd": "ls"}, "result": "x",
     "timestamp": "2025-05-12T20:00:01+00:00", "completed": "2025-05-12T20:00:02+00:00"},
    {"event": "tool", "id": "b", "function": "bash", "arguments": {"cmd": "rm"},
     "timestamp": "2025-05-12T20:00:03+00:00", "completed": "2025-05-12T20:00:09.500000+00:00",
     "error": {"type": "timeout", "message": "attachment://e1"}},
    {"event": "score", "timestamp": "2025-05-12T20:00:10+00:00"}],
  "model_usage": {"openai/gpt-4o-mini": {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120,
    "input_tokens_cache_read": 60}},
  "total_time": 12.5, "working_time": 8.25,
  "attachments": {"zz": "nobody wants this", "e1": "killed after 5 s", "0f": "# Done\n\n- all of it"}})";

}  // namespace

TEST(Inspect, ReadsASample) {
  const Execution got = only_sample(read_inspect_text(log_of(kFull)));
  EXPECT_EQ(got.id, "case-7/2");
  EXPECT_EQ(got.agent, "fix_bugs");
  EXPECT_EQ(got.model, "openai/gpt-4o-mini");
  EXPECT_EQ(got.tool_calls, 2);
  EXPECT_EQ(got.succeeded, 1);
  EXPECT_EQ(got.failed, 1);
  EXPECT_EQ(got.orphan_results, 0);
  EXPECT_EQ(got.unanswered, 0);
  EXPECT_EQ(got.api_retries, 2);
  EXPECT_DOUBLE_EQ(got.duration.value_or(0), 10);
  EXPECT_DOUBLE_EQ(got.active.value_or(0), 8.25);
  EXPECT_EQ(got.output, "# Done\n\n- all of it");
  EXPECT_EQ(got.ended_in_error, false);
  const Tokens tokens = got.tokens.value_or(Tokens{});
  EXPECT_EQ(tokens.input, 100);
  EXPECT_EQ(tokens.output, 20);
  EXPECT_EQ(tokens.cache_read, 60);
  EXPECT_TRUE(tokens.cache_in_input);
}

TEST(Inspect, KeepsCallsWithTheTimesOfTheirEvents) {
  const Execution got = only_sample(read_inspect_text(log_of(kFull)));
  ASSERT_EQ(got.calls.size(), 2u);
  EXPECT_EQ(got.calls[0].name, "bash");
  EXPECT_EQ(got.calls[0].input, R"({"cmd":"ls"})");
  EXPECT_EQ(got.calls[0].outcome, Outcome::success);
  EXPECT_EQ(*got.calls[0].end - *got.calls[0].start, 1'000'000);
  EXPECT_EQ(got.calls[1].error, "killed after 5 s");
  EXPECT_EQ(*got.calls[1].end - *got.calls[1].start, 6'500'000);
  EXPECT_TRUE(only_sample(read_inspect_text(log_of(kFull), false)).calls.empty());
}

TEST(Inspect, EverySampleIsAnExecution) {
  const InspectText got =
      read_inspect_text(log_of(R"({"id": 1, "epoch": 1}, {"id": 1, "epoch": 2}, 7, null)"));
  ASSERT_EQ(got.executions.size(), 2u);
  EXPECT_EQ(got.executions[0].id, "1/1");
  EXPECT_EQ(got.executions[1].id, "1/2");
  EXPECT_EQ(got.executions[1].agent, "fix_bugs");
}

TEST(Inspect, ALogWithoutSamplesHasNoExecutions) {
  const InspectText got = read_inspect_text(
      R"({"version": 2, "status": "started", "eval": {"task": "t", "model": "m"}})");
  EXPECT_TRUE(got.executions.empty());
  EXPECT_EQ(got.bad_lines, 0u);
}

TEST(Inspect, AResultWithoutACallIsAnOrphan) {
  const Execution got = sample(R"("messages": [
    {"role": "tool", "tool_call_id": "x1", "content": "", "error": {"type": "parsing", "message": "?"}},
    {"role": "tool", "tool_call_id": "x2", "content": "fine"}])");
  EXPECT_EQ(got.tool_calls, 0);
  EXPECT_EQ(got.orphan_results, 2);
  EXPECT_EQ(got.failed, 0);
  EXPECT_EQ(got.corrections, 0);
}

struct InspectErrorCase {
  const char* name;
  const char* error;
  std::int64_t failed, refused;
};
class InspectError : public testing::TestWithParam<InspectErrorCase> {};

TEST_P(InspectError, OfAToolEvent) {
  const Execution got = sample(fmt::format(
      R"("events": [{{"event": "tool", "id": "a", "function": "f", "arguments": {{}} {}}}])",
      GetParam().error));
  EXPECT_EQ(got.tool_calls, 1);
  EXPECT_EQ(got.failed, GetParam().failed);
  EXPECT_EQ(got.refused, GetParam().refused);
  EXPECT_EQ(got.corrections, GetParam().refused);
  EXPECT_EQ(got.succeeded, 1 - GetParam().failed - GetParam().refused);
}

INSTANTIATE_TEST_SUITE_P(
    Trace, InspectError,
    testing::Values(InspectErrorCase{"none", "", 0, 0},
                    InspectErrorCase{"null", R"(, "error": null)", 0, 0},
                    InspectErrorCase{"limit", R"(, "error": {"type": "limit", "message": "m"})", 1,
                                     0},
                    InspectErrorCase{"approval_is_a_correction",
                                     R"(, "error": {"type": "approval", "message": "no"})", 0, 1},
                    InspectErrorCase{"cancelled_is_a_correction",
                                     R"(, "error": {"type": "cancelled"}, "failed": true)", 0, 1},
                    InspectErrorCase{"as_text", R"(, "error": "broken")", 1, 0},
                    InspectErrorCase{"failed_without_error", R"(, "failed": true)", 1, 0},
                    InspectErrorCase{"exit_code_in_the_result_is_none",
                                     R"(, "result": "exit code 1\nerror: x")", 0, 0}),
    [](const auto& row) { return row.param.name; });

TEST(Inspect, APendingCallHasNoResult) {
  const Execution got =
      sample(R"("events": [{"event": "tool", "id": "a", "function": "f", "pending": true}])");
  EXPECT_EQ(got.tool_calls, 1);
  EXPECT_EQ(got.unanswered, 1);
  EXPECT_EQ(got.unknown, 1);
}

TEST(Inspect, EventsInsideOfEventsCount) {
  const Execution got = sample(R"("events": [{"event": "tool", "id": "outer", "function": "agent",
      "timestamp": "2025-01-01T00:00:00Z", "events": [
        {"event": "tool", "id": "inner", "function": "bash", "timestamp": "2025-01-01T00:00:05Z",
         "error": {"type": "unknown", "message": "m"}}]}])");
  EXPECT_EQ(got.tool_calls, 2);
  EXPECT_EQ(got.failed, 1);
  EXPECT_DOUBLE_EQ(got.duration.value_or(0), 5);
}

TEST(Inspect, TheSameInputAfterAFailureIsARepeat) {
  const Execution got = sample(R"("messages": [
    {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": "f", "arguments": {"x": 1}}]},
    {"role": "tool", "tool_call_id": "a", "content": "", "tool_error": "old form"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "b", "function": "f", "arguments": {"x": 1}}]},
    {"role": "tool", "tool_call_id": "b", "content": "ok"}])");
  EXPECT_EQ(got.tool_calls, 2);
  EXPECT_EQ(got.failed, 1);
  EXPECT_EQ(got.repeats, 1);
}

TEST(Inspect, TheTotalTellsWhereCachedTokensAre) {
  const auto usage = [](const std::string& total) {
    return sample(R"("model_usage": {"m": {"input_tokens": 10, "output_tokens": 5,
      "input_tokens_cache_read": 7, "input_tokens_cache_write": 3, "total_tokens": )" +
                  total + "}}")
        .tokens.value_or(Tokens{});
  };
  EXPECT_TRUE(usage("15").cache_in_input);
  EXPECT_FALSE(usage("25").cache_in_input);
  EXPECT_EQ(usage("25").cache_write, 3);
}

TEST(Inspect, AddsUpModelsAndTheirStatedCost) {
  const Execution got = sample(R"("model_usage": {
    "a": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3, "total_cost": 0.25},
    "b": {"input_tokens": 10, "output_tokens": 20, "total_tokens": 30, "total_cost": 0.5}})");
  EXPECT_EQ(got.tokens.value_or(Tokens{}).input, 11);
  EXPECT_EQ(got.tokens.value_or(Tokens{}).output, 22);
  EXPECT_DOUBLE_EQ(got.cost.value_or(0), 0.75);
  EXPECT_TRUE(got.cost_is_stated);
}

TEST(Inspect, NoUsageIsNotZero) { EXPECT_FALSE(sample("").tokens.has_value()); }

TEST(Inspect, AnErrorOfTheSampleIsItsEnd) {
  EXPECT_EQ(sample(R"("error": {"message": "boom", "traceback": "…"})").ended_in_error, true);
  EXPECT_EQ(sample(R"("error": null)").ended_in_error, false);
}

TEST(Inspect, TimesOfTheSampleWhereThereAreNoEvents) {
  const std::string times =
      R"("started_at": "2025-01-01T00:00:00Z", "completed_at": "2025-01-01T00:01:00Z")";
  EXPECT_DOUBLE_EQ(sample(times).duration.value_or(0), 60);
  const Execution with_events = sample(times + R"(, "events": [
    {"event": "state", "timestamp": "2025-01-01T00:00:10Z"},
    {"event": "state", "timestamp": "2025-01-01T00:00:14Z"}])");
  EXPECT_DOUBLE_EQ(with_events.duration.value_or(0), 4);
}

struct InspectAnswerCase {
  const char* name;
  const char* members;
  const char* want;
};
class InspectAnswer : public testing::TestWithParam<InspectAnswerCase> {};
TEST_P(InspectAnswer, Is) { EXPECT_EQ(sample(GetParam().members).output, GetParam().want); }

INSTANTIATE_TEST_SUITE_P(
    Trace, InspectAnswer,
    testing::Values(
        InspectAnswerCase{
            "completion",
            R"("output": {"choices": [{"message": {"content": "b"}}], "completion": "a"})", "a"},
        InspectAnswerCase{"blocks", R"("output": {"choices": [{"message": {"content": [
          {"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}]})",
                          "a\nb"},
        InspectAnswerCase{"last_message_where_output_is_empty", R"("messages": [
          {"role": "assistant", "content": "old"}, {"role": "assistant", "content": "new"},
          {"role": "assistant", "content": ""}, {"role": "user", "content": "me"}], "output": {"completion": ""})",
                          "new"},
        InspectAnswerCase{
            "missing_attachment_is_no_answer",
            R"("output": {"completion": "attachment://1"}, "attachments": {"2": "x"})", ""},
        InspectAnswerCase{
            "attachment_of_a_message",
            R"("messages": [{"role": "assistant", "content": "attachment://1"}], "attachments": {"1": "x"})",
            "x"}),
    [](const auto& row) { return row.param.name; });

TEST(Inspect, ASolverIsTheAgentAndNoneIsNoModel) {
  const InspectText got = read_inspect_text(R"({"version": 2, "samples": [{"id": "x", "epoch": 1}],
    "eval": {"task": "t", "solver": "react", "model": "none/none"}})");
  EXPECT_EQ(only_sample(got).agent, "react");
  EXPECT_EQ(only_sample(got).model, "");
}

TEST(Inspect, WrongTypesAreAbsent) {
  const Execution got = sample(R"("messages": [1, null, "x", [], {"role": 5, "tool_calls": {}},
      {"role": "assistant", "tool_calls": [3, {"id": 4}, {"id": "ok", "function": 9, "arguments": "text"}]}],
    "events": {"not": "a list"}, "output": [1], "model_usage": [2], "attachments": 3, "working_time": "long",
    "error": [], "started_at": {}, "epoch": "one")");
  EXPECT_EQ(got.tool_calls, 1);
  EXPECT_EQ(got.output, "");
  EXPECT_FALSE(got.duration.has_value());
}

TEST(Inspect, WhatComesBeforeTheCutCounts) {
  const std::string log = log_of(kFull);
  const InspectText got = read_inspect_text(log.substr(0, log.find("\"output\"")));
  EXPECT_EQ(got.bad_lines, 1u);
  const Execution execution = only_sample(got);
  EXPECT_EQ(execution.id, "case-7/2");
  EXPECT_EQ(execution.tool_calls, 2);
  EXPECT_EQ(execution.output, "done so far");
  EXPECT_FALSE(execution.ended_in_error.has_value());
}

TEST(Inspect, CutAnywhere) {
  const std::string log = log_of(kFull);
  for (std::size_t length = 0; length < log.size(); ++length) {
    const InspectText got = read_inspect_text(log.substr(0, length));
    EXPECT_LE(got.executions.size(), 1u);
    EXPECT_TRUE(length == 0 || got.bad_lines == 1) << length;
  }
}

TEST(Inspect, GarbledAnywhere) {
  const std::string log = log_of(kFull);
  for (std::size_t at = 0; at < log.size(); ++at)
    for (const char c : std::string_view(at % 20 == 0 ? "\"{]\\\xFF" : "")) {
      std::string garbled = log;
      garbled[at] = c;
      EXPECT_LE(read_inspect_text(garbled).executions.size(), 2u);
    }
}

// Archives.

constexpr const char* kHeader =
    R"({"version": 2, "status": "success", "eval": {"task": "fix_bugs", "model": "m"}, "plan": {}})";

TEST(InspectArchive, ReadsSamplesOfAllMethods) {
  const InspectText got = read_inspect_text(test::make_zip(
      {test::stored("header.json", kHeader), test::deflated("samples/case-7_epoch_2.json", kFull),
       test::zstandard("samples/b_epoch_1.json", R"({"id": "b", "epoch": 1})"),
       test::stored("summaries.json", R"([{"id": "b", "epoch": 1}])")}));
  ASSERT_EQ(got.executions.size(), 2u);
  EXPECT_EQ(got.executions[0].id, "case-7/2");
  EXPECT_EQ(got.executions[0].agent, "fix_bugs");
  EXPECT_EQ(got.executions[0].output, "# Done\n\n- all of it");
  EXPECT_EQ(got.executions[1].id, "b/1");
  EXPECT_TRUE(got.problems.empty());
}

TEST(InspectArchive, ARunThatDidNotEndHasItsHeaderInTheJournal) {
  const InspectText got = read_inspect_text(
      test::make_zip({test::stored("_journal/start.json", kHeader),
                      test::stored("samples/a_epoch_1.json", R"({"id": "a", "epoch": 1})")}));
  EXPECT_EQ(only_sample(got).agent, "fix_bugs");
}

TEST(InspectArchive, OfSomethingElseIsAProblem) {
  const InspectText got =
      read_inspect_text(test::make_zip({test::stored("word/document.xml", "<x/>")}));
  EXPECT_TRUE(got.executions.empty());
  ASSERT_EQ(got.problems.size(), 1u);
  EXPECT_NE(got.problems[0].find("not an Inspect log"), std::string::npos);
}

TEST(InspectArchive, SamplesInPiecesAreAProblem) {
  const InspectText got = read_inspect_text(
      test::make_zip({test::stored("header.json", kHeader),
                      test::stored("samples/a_epoch_1/sample.json", R"({"id": "a", "epoch": 1})"),
                      test::stored("samples/a_epoch_1/events/0.json", "[]"),
                      test::stored("samples/x/y_epoch_1.json", R"({"id": "x/y", "epoch": 1})")}));
  EXPECT_EQ(only_sample(got).id, "x/y/1");
  ASSERT_EQ(got.problems.size(), 1u);
  EXPECT_NE(got.problems[0].find("in pieces"), std::string::npos);
}

TEST(InspectArchive, ADamagedSampleDoesNotTakeTheOthersWithIt) {
  test::Packed damaged = test::deflated("samples/a_epoch_1.json", kFull);
  damaged.crc ^= 1;
  const InspectText got = read_inspect_text(
      test::make_zip({test::stored("header.json", kHeader), damaged,
                      test::stored("samples/b_epoch_1.json", R"({"id": "b", "epoch": 1)"),
                      test::stored("samples/c_epoch_1.json", R"({"id": "c", "epoch": 1})")}));
  EXPECT_EQ(got.problems.size(), 1u);  // of the checksum
  EXPECT_EQ(got.executions.back().id, "c/1");
}

TEST(InspectArchive, BrokenLinesAreThoseOfTheirSample) {
  const std::string cut = R"({"id": 1, "epoch": 1, "output": {"completion": "x"},)";
  const std::string garbled = R"({"id": 2, "epoch": 1,
    "messages": [{"role": "assistant", "content": "a\qb"}, {"role": "user", "content": "a\qb"}]})";
  const InspectText got = read_inspect_text(test::make_zip(
      {test::stored("header.json", kHeader), test::stored("samples/1_epoch_1.json", cut),
       test::stored("samples/2_epoch_1.json", garbled),
       test::stored("samples/3_epoch_1.json", R"({"id": 3, "epoch": 1})")}));
  ASSERT_EQ(got.executions.size(), 3u);
  EXPECT_TRUE(got.problems.empty());
  const std::vector<std::string> one{"1 line is broken: 1 (in `samples/1_epoch_1.json`)"},
      two{"1 line is broken: 2 (in `samples/2_epoch_1.json`)"};
  EXPECT_EQ(got.executions[0].notes, one);
  EXPECT_EQ(got.executions[0].bad_lines, 1u);
  EXPECT_EQ(got.executions[1].notes, two);
  EXPECT_EQ(got.executions[1].bad_lines, 1u);
  EXPECT_TRUE(got.executions[2].notes.empty());
  EXPECT_EQ(got.executions[2].bad_lines, 0u);
  EXPECT_EQ(got.executions[2].agent, "fix_bugs");
}

TEST(InspectArchive, AMemberThatIsNoJsonIsNamed) {
  for (const std::string bytes : {"", "no JSON", "[1]", "{", "\"{}\""}) {
    const InspectText got = read_inspect_text(
        test::make_zip({test::stored("header.json", kHeader), test::stored("samples/x.json", bytes),
                        test::stored("samples/c_epoch_1.json", R"({"id": "c", "epoch": 1})")}));
    EXPECT_EQ(got.executions.back().id, "c/1");
    std::string told = fmt::format("{}", fmt::join(got.problems, "\n"));
    for (const auto& note : got.executions.front().notes) told += note;
    EXPECT_NE(told.find("`samples/x.json`"), std::string::npos) << bytes;
  }
  const InspectText got = read_inspect_text(
      test::make_zip({test::stored("header.json", "{\"eval\": {"),
                      test::stored("samples/c_epoch_1.json", R"({"id": "c", "epoch": 1})")}));
  EXPECT_EQ(only_sample(got).bad_lines, 0u);
  ASSERT_EQ(got.problems.size(), 1u);
  EXPECT_EQ(got.problems[0], "`header.json` cannot be read: line 1 is broken");
}

TEST(InspectArchive, CutOrGarbledAnywhere) {
  const std::string zip = test::make_zip(
      {test::stored("header.json", kHeader), test::deflated("samples/a_epoch_1.json", kFull)});
  for (std::size_t length = 0; length < zip.size(); ++length)
    read_inspect_text(zip.substr(0, length));
  for (std::size_t at = 0; at < zip.size(); ++at) {
    std::string garbled = zip;
    garbled[at] = static_cast<char>(garbled[at] ^ 0x55);
    read_inspect_text(garbled);
  }
}

TEST(Inspect, IsToldByItsHeader) {
  const auto fits = [](std::string_view head) { return is_inspect(*Shapes(head).next()); };
  EXPECT_TRUE(fits(log_of(kFull)));
  EXPECT_TRUE(fits(R"({"version": 2, "eval": {"run_id": "x", "cre)"));
  EXPECT_FALSE(fits(R"({"version": 3, "evalId": "e", "results": {}, "config": {}})"));  // promptfoo
  EXPECT_FALSE(fits(R"({"eval": {"task": "t"}})"));
  EXPECT_FALSE(fits(R"({"version": 1, "eval": "text"})"));
  EXPECT_TRUE(is_inspect_archive("any.eval"));
  EXPECT_FALSE(inspect_fields().empty());
}

}  // namespace vibe::trace
