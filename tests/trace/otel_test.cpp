// Spans of OpenTelemetry, in all the forms in which they are exported.
#include "trace/otel/otel.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/reading.h"

namespace vibe::trace {
namespace {

using testing::ElementsAre;

LogText read_otel_text(std::string text) {
  LogText out = read_text(std::move(text));
  EXPECT_EQ(out.format, "otel");
  EXPECT_TRUE(out.problems.all().empty());
  return out;
}

Execution one(std::string text) {
  LogText log = read_otel_text(std::move(text));
  EXPECT_EQ(log.executions.size(), 1u);
  EXPECT_EQ(log.bad.count, 0u);
  return log.executions.empty() ? Execution{} : std::move(log.executions.front());
}

// Flat spans, with attributes as an object.
std::string span(std::string_view id, std::string_view parent, std::string_view attributes,
                 std::string_view more = "") {
  return fmt::format(
      R"({{"trace_id":"t","span_id":"{}","parent_span_id":"{}","name":"s","attributes":{{{}}}{}{}}})",
      id, parent, attributes, more.empty() ? "" : ",", more);
}
template <class... Spans>
std::string list(const Spans&... spans) {
  return fmt::format("[{}]", fmt::join(std::vector<std::string>{spans...}, ","));
}

constexpr std::string_view kTool = R"("gen_ai.operation.name":"execute_tool")";
std::string usage(int input, int output) {
  return fmt::format(R"("gen_ai.usage.input_tokens":{},"gen_ai.usage.output_tokens":{})", input,
                     output);
}

// The same session in each form: an agent (1 s to 5 s) whose model takes 10 + 2 tokens and says
// `done`, and whose tool `grep` fails with `no file`.
struct Form {
  const char* name;
  std::string text;
};

const std::string kOtlpSpans = R"([
  {"traceId":"t1","spanId":"a","parentSpanId":"","name":"invoke_agent",
   "startTimeUnixNano":"1700000001000000000","endTimeUnixNano":1700000005000000000,
   "attributes":[{"key":"gen_ai.agent.name","value":{"stringValue":"finder"}}]},
  {"traceId":"t1","spanId":"b","parentSpanId":"a","name":"chat",
   "startTimeUnixNano":"1700000001500000000","endTimeUnixNano":"1700000002000000000",
   "attributes":[{"key":"gen_ai.usage.input_tokens","value":{"intValue":"10"}},
                 {"key":"gen_ai.usage.output_tokens","value":{"intValue":2}},
                 {"key":"gen_ai.response.model","value":{"stringValue":"m1"}},
                 {"key":"gen_ai.output.messages","value":{"stringValue":"done"}}]},
  {"traceId":"t1","spanId":"c","parentSpanId":"a","name":"execute_tool grep",
   "startTimeUnixNano":"1700000003000000000","endTimeUnixNano":"1700000003200000000",
   "attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},
                 {"key":"gen_ai.tool.call.id","value":{"stringValue":"call_1"}},
                 {"key":"gen_ai.tool.call.arguments","value":{"stringValue":"{\"q\":1}"}}],
   "status":{"code":2,"message":"no file"}}])";

std::string on_one_line(std::string text) {
  std::erase(text, '\n');
  return text;
}

std::string otlp(std::string_view holder, std::string_view scopes) {
  return fmt::format(R"({{"{}":[{{"resource":{{"attributes":[]}},"{}":[{{"spans":{}}}]}}]}})",
                     holder, scopes, kOtlpSpans);
}

// Too long to be read as a whole.
std::string long_document() {
  return fmt::format("{{\"note\":\"{}\",{}", std::string(5u << 20, 'x'),
                     otlp("resourceSpans", "scopeSpans").substr(1));
}

const std::string kJaeger = R"({"data":[{"traceID":"t1","spans":[
  {"traceID":"t1","spanID":"a","operationName":"invoke_agent","references":[],
   "startTime":1700000001000000,"duration":4000000,
   "tags":[{"key":"gen_ai.agent.name","type":"string","value":"finder"}],"processID":"p1"},
  {"traceID":"t1","spanID":"b","operationName":"chat",
   "references":[{"refType":"CHILD_OF","traceID":"t1","spanID":"a"}],
   "startTime":1700000001500000,"duration":500000,
   "tags":[{"key":"llm.token_count.prompt","type":"int64","value":10},
           {"key":"llm.token_count.completion","type":"int64","value":2},
           {"key":"llm.model_name","type":"string","value":"m1"},
           {"key":"llm.output_messages.0.message.content","type":"string","value":"done"}]},
  {"traceID":"t1","spanID":"c","operationName":"execute_tool grep",
   "references":[{"refType":"CHILD_OF","traceID":"t1","spanID":"a"}],
   "startTime":1700000003000000,"duration":200000,
   "tags":[{"key":"error","type":"bool","value":true},
           {"key":"gen_ai.tool.call.id","type":"string","value":"call_1"},
           {"key":"gcp.vertex.agent.tool_call_args","type":"string","value":"{\"q\":1}"}],
   "logs":[{"timestamp":1700000003100000,"fields":[{"key":"event","value":"exception"},
            {"key":"exception.message","value":"no file"}]}]}],
  "processes":{"p1":{"serviceName":"search","tags":[]}}}]})";

const std::string kNode = R"([
  {"name":"run","spanContext":{"traceId":"t1","spanId":"a"},"startTime":[1700000001,0],
   "endTime":[1700000005,0],"attributes":{"gen_ai.agent.name":"finder"},"status":{"code":0}},
  {"name":"chat","spanContext":{"traceId":"t1","spanId":"b"},"parentSpanContext":{"spanId":"a"},
   "startTime":[1700000001,500000000],"endTime":[1700000002,0],
   "attributes":{"gen_ai.usage.input_tokens":10,"gen_ai.usage.output_tokens":2,"ai.model.id":"m1",
                 "ai.response.text":"done"},"status":{"code":0}},
  {"name":"ai.toolCall","spanContext":{"traceId":"t1","spanId":"c"},"parentSpanId":"a",
   "startTime":[1700000003,0],"endTime":[1700000003,200000000],
   "attributes":{"ai.operationId":"ai.toolCall","ai.toolCall.name":"grep",
                 "ai.toolCall.id":"call_1","ai.toolCall.args":"{\"q\":1}"},
   "status":{"code":2,"message":"no file"}}])";

// Objects over lines, one after the other, as an SDK prints them.
const std::string kPython = R"({
    "name": "run",
    "context": {"trace_id": "t1", "span_id": "a", "trace_state": "[]"},
    "parent_id": null,
    "start_time": "2023-11-14T22:13:21.000000Z",
    "end_time": "2023-11-14T22:13:25.000000Z",
    "status": {"status_code": "UNSET"},
    "attributes": {"gen_ai.agent.name": "finder"}
}
{
    "name": "chat",
    "context": {"trace_id": "t1", "span_id": "b"},
    "parent_id": "a",
    "start_time": "2023-11-14T22:13:21.500000Z",
    "end_time": "2023-11-14T22:13:22.000000Z",
    "attributes": {"gen_ai.usage.prompt_tokens": 10, "gen_ai.usage.completion_tokens": 2,
                   "gen_ai.request.model": "m1"},
    "events": [{"name": "gen_ai.choice", "attributes": {"message": "[{\"text\": \"done\"}]"}}]
}
{
    "name": "grep",
    "context": {"trace_id": "t1", "span_id": "c"},
    "parent_id": "a",
    "start_time": "2023-11-14T22:13:23.000000Z",
    "end_time": "2023-11-14T22:13:23.200000Z",
    "status": {"status_code": "ERROR", "description": "no file"},
    "attributes": {"openinference.span.kind": "TOOL", "tool_call.id": "call_1",
                   "input.value": "{\"q\":1}"}
}
)";

const std::string kNested = R"({"trace_id":"t1","spans":[
  {"timestamp":"2023-11-14T22:13:21Z","span_id":"a","parent_span_id":null,"span_name":"run",
   "span_attributes":{"gen_ai.agent.name":"finder"},"duration":"PT4S","status_code":"Unset",
   "child_spans":[
     {"timestamp":"2023-11-14T22:13:21.5Z","span_id":"b","span_name":"chat",
      "span_attributes":{"llm.token_count.prompt":"10","llm.token_count.completion":"2",
        "llm.model_name":"m1","llm.output_messages.0.message.content":"done"},
      "duration":"PT0.5S","status_code":"Ok","child_spans":[]},
     {"timestamp":"2023-11-14T22:13:23Z","span_id":"c","span_name":"grep",
      "span_attributes":{"traceloop.span.kind":"tool","traceloop.entity.name":"grep",
        "gen_ai.tool.call.id":"call_1","traceloop.entity.input":"{\"q\":1}"},
      "duration":"PT0.2S","status_code":"Error","status_message":"no file"}]}]})";

class OtelForm : public testing::TestWithParam<Form> {};

TEST_P(OtelForm, TellsTheSameSession) {
  const Execution seen = one(GetParam().text);
  EXPECT_EQ(seen.id, "t1");
  EXPECT_EQ(seen.agent, "finder");
  EXPECT_EQ(seen.model, "m1");
  EXPECT_EQ(seen.started, 1700000001000000);
  EXPECT_EQ(seen.ended, 1700000005000000);
  EXPECT_EQ(seen.output, "done");
  EXPECT_EQ(seen.ended_in_error, false);
  ASSERT_TRUE(seen.tokens);
  EXPECT_EQ(*seen.tokens, (Tokens{.input = 10, .output = 2, .cache_in_input = true}));
  ASSERT_EQ(seen.calls.size(), 1u);
  EXPECT_EQ(seen.calls[0], (Call{.name = "grep",
                                 .id = "call_1",
                                 .input = "{\"q\":1}",
                                 .outcome = Outcome::failure,
                                 .answered = true,
                                 .exit_code = {},
                                 .error = "no file",
                                 .start = 1700000003000000,
                                 .end = 1700000003200000,
                                 .sub_agent = {}}));
}

INSTANTIATE_TEST_SUITE_P(
    Trace, OtelForm,
    testing::Values(Form{"otlp", otlp("resourceSpans", "scopeSpans")},
                    Form{"otlp_on_one_line", on_one_line(otlp("resourceSpans", "scopeSpans"))},
                    Form{"otlp_of_old", otlp("resourceSpans", "instrumentationLibrarySpans")},
                    Form{"otlp_in_a_long_document", long_document()},
                    Form{"otlp_twice", on_one_line(otlp("resourceSpans", "scopeSpans")) + "\n" +
                                           on_one_line(otlp("resourceSpans", "scopeSpans"))},
                    Form{"tempo", otlp("batches", "scopeSpans")},
                    Form{"tempo_2", R"({"trace":)" + otlp("resourceSpans", "scopeSpans") + "}"},
                    Form{"list_of_spans", kOtlpSpans}, Form{"jaeger", kJaeger}, Form{"node", kNode},
                    Form{"python", kPython}, Form{"nested", kNested}),
    [](const auto& row) { return row.param.name; });

TEST(Otel, TakesEachLineForItself) {
  const std::string line = R"({{"resourceSpans":[{{"scopeSpans":[{{"spans":[{}]}}]}}]}})"
                           "\n";
  const LogText seen = read_otel_text(fmt::format(fmt::runtime(line), span("a", "b", kTool)) +
                                      "{\"resourceSpans\":[{\"scopeSp\n" +
                                      fmt::format(fmt::runtime(line), span("b", "", usage(3, 4))));
  EXPECT_THAT(seen.bad.first, ElementsAre(2));
  ASSERT_EQ(seen.executions.size(), 1u);
  EXPECT_EQ(seen.executions[0].tool_calls, 1);
  EXPECT_EQ(seen.executions[0].tokens->input, 3);
}

// -- tokens --

TEST(Otel, CountsTokensOfSpansWithoutADescendantThatHasThem) {
  // The sum of all is 240: the agent has that of its models, and a framework wraps each of them.
  const std::string agent = span("agent", "", usage(90, 9)), wrap = span("wrap", "agent", ""),
                    outer = span("outer", "wrap", usage(60, 6)),
                    inner = span("inner", "outer", usage(60, 6)),
                    other = span("other", "agent", usage(30, 3));
  EXPECT_EQ(one(list(agent, wrap, outer, inner, other)).tokens->input, 90);
  EXPECT_EQ(one(list(inner, other, outer, wrap, agent)).tokens->input, 90);
  EXPECT_EQ(one(list(inner, other, outer, wrap, agent)).tokens->output, 9);
}

TEST(Otel, DoesNotLetZeroTokensHideThoseAbove) {
  EXPECT_EQ(one(list(span("a", "", usage(5, 1)), span("b", "a", usage(0, 0)))).tokens->input, 5);
}

TEST(Otel, KeepsTheTokensOfSpansThatAreTheirOwnAncestors) {
  const std::string a = span("a", "b", usage(3, 0)), b = span("b", "a", usage(4, 0)),
                    c = span("c", "c", usage(5, 0));
  const auto tokens = one(list(a, b, c)).tokens;
  ASSERT_TRUE(tokens);
  EXPECT_GE(tokens->input, 8);  // of a and b one is above the other
  EXPECT_LE(tokens->input, 9);
}

struct TokenNames {
  const char *name, *attributes;
};
class OtelTokens : public testing::TestWithParam<TokenNames> {};
TEST_P(OtelTokens, AreCounted) {
  const auto tokens = one(list(span("a", "", GetParam().attributes))).tokens;
  ASSERT_TRUE(tokens);
  EXPECT_EQ(*tokens, (Tokens{.input = 7, .output = 2, .cache_read = 5, .cache_in_input = true}));
}
INSTANTIATE_TEST_SUITE_P(
    Trace, OtelTokens,
    testing::Values(TokenNames{"new_and_old",
                               R"("gen_ai.usage.prompt_tokens":1,"gen_ai.usage.input_tokens":7,
                      "gen_ai.usage.output_tokens":"2","gen_ai.usage.cache_read.input_tokens":5)"},
                    TokenNames{"wrapped", R"("gen_ai.usage.input_tokens":{"intValue":"7"},
                      "gen_ai.usage.output_tokens":{"intValue":2},
                      "gen_ai.usage.cache_read_input_tokens":{"doubleValue":5})"},
                    TokenNames{"openinference",
                               R"("llm.token_count.prompt":7,"llm.token_count.completion":2,
                      "llm.token_count.prompt_details.cache_read":5)"},
                    TokenNames{"nested", R"("llm":{"token_count":{"prompt":7,"completion":2,
                      "prompt_details":{"cache_read":5}}})"}),
    [](const auto& row) { return row.param.name; });

TEST(Otel, KnowsNoTokensWhereNoneAreTold) {
  EXPECT_FALSE(one(list(span("a", "", R"("gen_ai.usage.input_tokens":"many")"))).tokens);
  EXPECT_FALSE(one(list(span("a", "", R"("gen_ai.usage.input_tokens":-1)"))).tokens);
}

// -- tool calls --

struct Failure {
  const char *name, *attributes, *more;
  bool failed = true;
};
class OtelFailure : public testing::TestWithParam<Failure> {};
TEST_P(OtelFailure, IsTold) {
  const Execution seen =
      one(list(span("a", "", std::string(kTool) + GetParam().attributes, GetParam().more)));
  EXPECT_EQ(seen.failed, GetParam().failed ? 1 : 0);
  EXPECT_EQ(seen.succeeded, GetParam().failed ? 0 : 1);
}
INSTANTIATE_TEST_SUITE_P(
    Trace, OtelFailure,
    testing::Values(Failure{"none", "", R"("status":{"code":1})", false},
                    Failure{"status_of_unset", "", R"("status":{"code":"STATUS_CODE_UNSET"})",
                            false},
                    Failure{"code", "", R"("status":{"code":2})"},
                    Failure{"code_as_name", "", R"("status":{"code":"STATUS_CODE_ERROR"})"},
                    Failure{"status_code", "", R"("status":{"status_code":"ERROR"})"},
                    Failure{"flat_status_code", "", R"("status_code":"Error")"},
                    Failure{"tag", R"(,"otel.status_code":"ERROR")", ""},
                    Failure{"error_type", R"(,"error.type":"timeout")", ""},
                    Failure{"exception", "", R"("events":[{"name":"exception","attributes":[]}])"},
                    Failure{"other_event", "", R"("events":[{"name":"log"}])", false},
                    Failure{"status_of_tool", R"(,"gen_ai.tool.status":"error")", ""},
                    Failure{"exit_code", R"(,"process.exit.code":1)", ""}),
    [](const auto& row) { return row.param.name; });

TEST(Otel, CountsACallOnceThatHasSeveralSpans) {
  const std::string id = std::string(kTool) + R"(,"gen_ai.tool.call.id":"c1")";
  const std::string named = std::string(kTool) + R"(,"gen_ai.tool.name":"find")";
  EXPECT_EQ(one(list(span("a", "", id), span("b", "a", id))).tool_calls, 1);
  // Who calls and who runs it, without an id, or with one on one side.
  EXPECT_EQ(one(list(span("b", "a", named), span("a", "", named))).tool_calls, 1);
  EXPECT_EQ(
      one(list(span("a", "", named + R"(,"gen_ai.tool.call.id":"c1")"), span("b", "a", named)))
          .tool_calls,
      1);
  // Not the same: side by side, of other ids, another tool.
  EXPECT_EQ(one(list(span("a", "", named), span("b", "", named))).tool_calls, 2);
  EXPECT_EQ(one(list(span("a", "", id),
                     span("b", "a", std::string(kTool) + R"(,"gen_ai.tool.call.id":"c2")")))
                .tool_calls,
            2);
  EXPECT_EQ(one(list(span("a", "", kTool), span("b", "a", named))).tool_calls, 2);
}

TEST(Otel, TakesASpanForACallByWhatItSays) {
  const auto calls = [](std::string_view attributes) {
    return one(list(span("a", "", attributes))).tool_calls;
  };
  EXPECT_EQ(calls(R"("gen_ai.operation.name":"tool")"), 1);
  EXPECT_EQ(calls(R"("gen_ai.tool.name":"grep")"), 1);
  EXPECT_EQ(calls(R"("openinference.span.kind":"CHAIN","gen_ai.operation.name":"execute_tool")"),
            1);
  EXPECT_EQ(calls(R"("gen_ai.operation.name":"chat","gen_ai.tool.name":"grep")"), 0);
  EXPECT_EQ(calls(R"("traceloop.span.kind":"task","traceloop.entity.name":"plan")"), 0);
  EXPECT_EQ(
      calls(R"x("gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"(merged tools)")x"), 0);
  // Told before it ends, and then again.
  EXPECT_EQ(one(list(span("a", "b", R"("gen_ai.tool.name":"x","logfire.span_type":"pending_span")"),
                     span("b", "", R"("gen_ai.tool.name":"x")")))
                .tool_calls,
            1);
}

TEST(Otel, SeesRepeatsInTheOrderOfTime) {
  const auto call = [](std::string_view id, int second, std::string_view more) {
    return span(id, "", std::string(kTool) + R"(,"input.value":"x")",
                fmt::format(R"("startTimeUnixNano":"{}000000000"{})", second, more));
  };
  const std::string failed = call("a", 1, R"(,"status":{"code":2})"), again = call("b", 2, "");
  EXPECT_EQ(one(list(failed, again)).repeats, 1);
  EXPECT_EQ(one(list(again, failed)).repeats, 1);  // spans are written when they end
  EXPECT_EQ(one(list(span("a", "", kTool, R"("status":{"code":2})"), span("b", "", kTool))).repeats,
            0);  // the inputs are not known
}

// -- times --

struct Clock {
  const char *name, *times;
  std::optional<Time> start, end;
};
class OtelClock : public testing::TestWithParam<Clock> {};
TEST_P(OtelClock, IsRead) {
  const Execution seen = one(list(span("a", "", R"("gen_ai.system":"x")", GetParam().times)));
  EXPECT_EQ(seen.started, GetParam().start);
  EXPECT_EQ(seen.ended, GetParam().end);
}
INSTANTIATE_TEST_SUITE_P(
    Trace, OtelClock,
    testing::Values(
        Clock{"nanos_however_few", R"("startTimeUnixNano":"1000","endTimeUnixNano":"3000")", 1, 3},
        Clock{
            "nanos_as_numbers",
            R"("start_time_unix_nano":1700000000000000000,"end_time_unix_nano":1700000000500000000)",
            1700000000000000, 1700000000500000},
        Clock{"not_ended", R"("startTimeUnixNano":"1000000","endTimeUnixNano":"0")", 1000, 1000},
        Clock{"jaeger_however_few", R"("operationName":"x","startTime":1000,"duration":500)", 1000,
              1500},
        Clock{"micros", R"("timestamp":1700000000000000,"duration":2000)", 1700000000000000,
              1700000000002000},
        Clock{"millis", R"("startTime":1700000000000,"duration_ms":1.5)", 1700000000000000,
              1700000000001500},
        Clock{"pair", R"("startTime":[1,5000],"endTime":[2,0])", 1000005, 2000000},
        Clock{"iso", R"("start_time":"1970-01-01T00:00:01Z","duration":"P1DT1H1M1.5S")", 1000000,
              90062500000},
        Clock{"none", R"("startTime":"soon","endTime":{})", std::nullopt, std::nullopt}),
    [](const auto& row) { return row.param.name; });

TEST(Otel, TakesTheTimesOfAllSpansOfTheTrace) {
  const std::string server =
      span("a", "", R"("http.method":"POST")", R"("startTime":[10,0],"endTime":[20,0])");
  const std::string model = span("b", "a", usage(1, 1), R"("startTime":[12,0],"endTime":[13,0])");
  EXPECT_EQ(one(list(server, model)).duration, 10);
}

// -- sessions --

TEST(Otel, TellsTracesApart) {
  const std::string other =
      R"({"trace_id":"u","span_id":"a","attributes":{"gen_ai.usage.input_tokens":9}})";
  const std::string web = R"({"trace_id":"w","span_id":"a","attributes":{"http.method":"GET"}})";
  const LogText seen =
      read_otel_text(list(span("a", "", usage(1, 1)), other, web, span("b", "", usage(2, 2))));
  ASSERT_EQ(seen.executions.size(), 2u);  // that of the web server is none of an agent
  EXPECT_EQ(seen.executions[0].id, "t");
  EXPECT_EQ(seen.executions[0].tokens->input, 3);
  EXPECT_EQ(seen.executions[1].id, "u");
  EXPECT_EQ(seen.executions[1].tokens->input, 9);
}

TEST(Otel, NamesASessionByItsConversationWhereThereIsNoTrace) {
  const auto seen = one(
      R"({"traceID":"","spans":[{"spanID":"a","attributes":{"gen_ai.conversation.id":"talk"}}]})");
  EXPECT_EQ(seen.id, "talk");
}

TEST(Otel, NamesTheAgentElseTheService) {
  const std::string_view service =
      R"("startTime":[1,0],"resource":{"attributes":{"service.name":"shop"}})";
  const std::string first = span("a", "", R"("gen_ai.agent.name":"boss")", R"("startTime":[1,0])"),
                    second =
                        span("b", "a", R"("gen_ai.agent.name":"aide")", R"("startTime":[2,0])");
  EXPECT_EQ(one(list(span("a", "", usage(1, 1), service))).agent, "shop");
  EXPECT_EQ(one(list(second, first, span("c", "", usage(1, 1), service))).agent, "boss");
  const std::string late =
      R"({"data":[{"traceID":"t","spans":[{"traceID":"t","spanID":"a","tags":[]}],)"
      R"("processes":{"p1":{"serviceName":"late"}}}]})";
  EXPECT_EQ(one(late).agent, "late");
  // The same where it is read piece by piece.
  EXPECT_EQ(read_otel_text(late.substr(0, late.size() - 1)).executions.at(0).agent, "late");
}

TEST(Otel, EndsInErrorByItsRoot) {
  constexpr std::string_view kBad = R"("status":{"code":2},"endTime":[9,0])";
  EXPECT_EQ(one(list(span("a", "", usage(1, 1), kBad))).ended_in_error, true);
  EXPECT_EQ(one(list(span("a", "", usage(1, 1)), span("b", "a", usage(1, 1), kBad))).ended_in_error,
            false);
  EXPECT_EQ(
      one(list(span("a", "lost", usage(1, 1)), span("b", "lost", kTool, kBad))).ended_in_error,
      false);  // a failed call is none of the run
}

TEST(Otel, CountsRequestsThatWereSentAgain) {
  constexpr std::string_view kAgain = R"("http.request.resend_count":1)";
  EXPECT_EQ(one(list(span("a", "", usage(1, 1)), span("b", "a", kAgain))).api_retries, 1);
  EXPECT_EQ(one(list(span("a", "", kTool), span("b", "a", kAgain))).api_retries, 0);
}

// -- the final answer --

struct Answer {
  const char *name, *attributes, *text;
};
class OtelAnswer : public testing::TestWithParam<Answer> {};
TEST_P(OtelAnswer, IsFound) {
  EXPECT_EQ(one(on_one_line(list(span("a", "", GetParam().attributes)))).output, GetParam().text);
}
INSTANTIATE_TEST_SUITE_P(
    Trace, OtelAnswer,
    testing::Values(
        Answer{"messages",
               R"("gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",
                  \"content\":\"one\"},{\"type\":\"tool_call\",\"name\":\"x\"},
                  {\"type\":\"text\",\"content\":\"two\"}]}]")",
               "one\n\ntwo"},
        Answer{"messages_as_values",
               R"("gen_ai.output.messages":{"arrayValue":{"values":[{"kvlistValue":{"values":[
                  {"key":"role","value":{"stringValue":"assistant"}},
                  {"key":"parts","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[
                    {"key":"type","value":{"stringValue":"text"}},
                    {"key":"content","value":{"stringValue":"one"}}]}}]}}}]}}]}})",
               "one"},
        Answer{"last_of_the_model",
               R"("gen_ai.output.messages":[{"role":"assistant","content":"one"},
                  {"role":"assistant","content":[{"type":"text","text":"two"}]},
                  {"role":"tool","content":"three"}])",
               "two"},
        Answer{"parts_in_text", R"("gen_ai.output.messages":"[{\"type\":\"thinking\",
                  \"thinking\":\"hm\"},{\"type\":\"text\",\"text\":\"one\"}]")",
               "one"},
        Answer{"json_itself", R"("gen_ai.output.messages":"{\"sum\":3}")", "{\"sum\":3}"},
        Answer{"no_json", R"("gen_ai.output.messages":"[1] is the source")", "[1] is the source"},
        Answer{"vercel", R"("ai.response.text":"one")", "one"},
        Answer{"nested", R"("llm":{"output_messages":[{"message":{"content":"one"}}]})", "one"},
        Answer{"output_of_agent", R"("openinference.span.kind":"AGENT","output.value":"one")",
               "one"},
        Answer{"output_as_message", R"("openinference.span.kind":"LLM",
                  "output.value":"{\"role\":\"assistant\",\"content\":\"one\"}")",
               "one"},
        Answer{"output_that_is_no_text", R"("openinference.span.kind":"AGENT",
                  "output.value":"{\"rows\":[]}")",
               ""},
        Answer{"only_calls", R"("gen_ai.output.messages":[{"role":"assistant","parts":[
                  {"type":"tool_call","name":"x"}]}])",
               ""}),
    [](const auto& row) { return row.param.name; });

TEST(Otel, TakesTheAnswerThatEndsLast) {
  const auto answer = [](std::string_view id, std::string_view parent, int end,
                         std::string_view text) {
    return span(id, parent, fmt::format(R"("ai.response.text":"{}")", text),
                fmt::format(R"("endTime":[{},0])", end));
  };
  const std::string agent = span("r", "", R"("openinference.span.kind":"AGENT","output.value":"0")",
                                 R"("endTime":[9,0])");
  EXPECT_EQ(one(list(answer("a", "r", 5, "last"), answer("b", "r", 3, "first"), agent)).output,
            "last");
  EXPECT_EQ(one(list(agent, span("b", "r", R"("output.value":"of a step")"))).output, "0");
}

// -- damage --

TEST(Otel, ReadsADocumentThatBreaksOffUpToThere) {
  const std::string whole = otlp("resourceSpans", "scopeSpans");
  std::int64_t spans = 0;
  for (std::size_t length = 30; length < whole.size(); ++length) {
    const LogText seen = read_text(whole.substr(0, length));
    const bool any = !seen.executions.empty();
    const std::int64_t found =
        !any ? 0 : 1 + (seen.executions[0].tokens ? 1 : 0) + seen.executions[0].tool_calls;
    EXPECT_GE(found, spans) << length;
    EXPECT_EQ(seen.bad.count, 1u) << length;
    spans = found;
  }
  EXPECT_EQ(spans, 3);
}

TEST(Otel, KeepsTheSpansAroundThoseThatBreakOff) {
  const LogText seen = read_otel_text(kNested.substr(0, kNested.find("traceloop")));
  EXPECT_THAT(seen.bad.first, ElementsAre(10));
  ASSERT_EQ(seen.executions.size(), 1u);
  EXPECT_EQ(seen.executions[0].duration, 4);
  EXPECT_EQ(seen.executions[0].tokens->input, 10);
  EXPECT_EQ(seen.executions[0].tool_calls, 0);
}

TEST(Otel, LimitsHowDeepSpansAreNested) {
  const auto nested = [](int levels) {
    std::string out = R"({"trace_id":"t","spans":[)";
    for (int i = 1; i <= levels; ++i)
      out += fmt::format(R"({{"span_id":"{}","attributes":{{{}}},"child_spans":[)", i, usage(i, 0));
    for (int i = 1; i <= levels; ++i) out += "]}";
    return out + "]}";
  };
  EXPECT_EQ(one(nested(100)).tokens->input, 100);
  const LogText seen = read_otel_text(nested(100'000));
  EXPECT_EQ(seen.bad.count, 1u);
  ASSERT_EQ(seen.executions.size(), 1u);
  EXPECT_GE(seen.executions[0].tokens->input, 100);
}

TEST(Otel, IsNotMisledByOtherTypes) {
  for (const char* value : {"null", "7", "-1e300", "\"\"", "\"x\"", "[]", "{}", "[[]]", "true",
                            R"({"stringValue":[]})", R"({"arrayValue":{"values":7}})"}) {
    const std::string text = fmt::format(
        R"([{{"traceId":"t","spanId":"a","attributes":{0}}},
            {{"traceId":"t","spanId":{0},"parentSpanId":{0},"name":{0},"startTime":{0},
              "endTime":{0},"duration":{0},"status":{0},"events":{0},"references":{0},
              "attributes":{{"gen_ai.usage.input_tokens":{0},"gen_ai.tool.name":{0},
                "gen_ai.output.messages":{0},"gen_ai.operation.name":{0},"error":{0}}}}},
            {{"traceId":"t","spanId":"b","attributes":{{"gen_ai.system":"x"}}}}])",
        value);
    const LogText seen = read_otel_text(text);
    EXPECT_EQ(seen.executions.size(), 1u) << value;
    EXPECT_EQ(seen.bad.count, 0u) << value;
  }
}

// -- telling the format --

TEST(Otel, IsNotTakenForOthersNorOthersForIt) {
  const auto fits = [](std::string_view text) {
    const auto first = Shapes(text).next();
    return first && is_otel(*first);
  };
  EXPECT_TRUE(fits(R"({"resourceSpans":[{"resource":{"attr)"));
  EXPECT_TRUE(fits(R"({"data":[{"traceID":"x","spans":[{"traceID)"));
  EXPECT_TRUE(fits(R"([{"traceId":"1","id":"2","timestamp":5,"tags":{"a":"b"}}])"));
  EXPECT_FALSE(fits(R"({"type":"user","sessionId":"x","uuid":"y","message":{"content":"hi"}})"));
  EXPECT_FALSE(fits(R"({"ts":"2026","tool":"Bash","exit":0,"trace_id":"x"})"));
  EXPECT_FALSE(fits(R"({"eval":{"model":"m"},"version":2,"samples":[{"id":1}]})"));
  EXPECT_FALSE(fits(R"({"schema_version":"ATIF-v1","steps":[{"step_id":1}]})"));
  EXPECT_FALSE(fits(R"({"traceId":"1","spanId":"2","body":{"stringValue":"x"},"attributes":[]})"));
  EXPECT_FALSE(fits(R"({"data":[{"id":1}]})"));
}

}  // namespace
}  // namespace vibe::trace
