#include <gtest/gtest.h>

#include "model/fake_client.h"
#include "model/provider.h"

namespace vibe::model {
namespace {

using Kind = Failure::Kind;

struct DecodeCase {
  const char* name;
  const HttpProvider* provider;
  std::string body;
  Answer want;  // without latency and tries
};
class DecodeAnswer : public testing::TestWithParam<DecodeCase> {};
TEST_P(DecodeAnswer, Gives) {
  const auto& row = GetParam();
  const auto got = row.provider->decode(response_of(200, row.body));
  ASSERT_TRUE(got.has_value()) << got.error().message;
  const Answer& want = row.want;
  EXPECT_EQ(got->text, want.text);
  EXPECT_EQ(got->thinking, want.thinking);
  EXPECT_EQ(got->stop_reason, want.stop_reason);
  ASSERT_EQ(got->tool_calls.size(), want.tool_calls.size());
  for (std::size_t i = 0; i < want.tool_calls.size(); ++i) {
    EXPECT_EQ(got->tool_calls[i].id, want.tool_calls[i].id);
    EXPECT_EQ(got->tool_calls[i].name, want.tool_calls[i].name);
    EXPECT_EQ(got->tool_calls[i].arguments, want.tool_calls[i].arguments);
  }
  EXPECT_EQ(got->usage.prompt, want.usage.prompt);
  EXPECT_EQ(got->usage.completion, want.usage.completion);
  EXPECT_EQ(got->usage.thinking, want.usage.thinking);
  EXPECT_EQ(got->usage.cached, want.usage.cached);
  EXPECT_EQ(got->usage.cache_write, want.usage.cache_write);
  EXPECT_EQ(got->cost.input, want.cost.input);
  EXPECT_EQ(got->cost.output, want.cost.output);
  EXPECT_EQ(got->cost.total, want.cost.total);
}

INSTANTIATE_TEST_SUITE_P(
    Openai, DecodeAnswer,
    testing::Values(
        DecodeCase{"plain",
                   &kOpenai,
                   R"({"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion",
"created":1741569952,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,"message":{"role":"assistant",
"content":"Hello! How can I assist you today?","refusal":null,"annotations":[]},"logprobs":null,
"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,
"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":
{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,
"rejected_prediction_tokens":0}},"service_tier":"default"})",
                   {.text = "Hello! How can I assist you today?",
                    .stop_reason = "stop",
                    .usage = {.prompt = 19, .completion = 10, .thinking = 0, .cached = 0}}},
        DecodeCase{
            "tool_calls",
            &kOpenai,
            R"({"choices":[{"index":0,"message":{"role":"assistant","content":null,
"tool_calls":[{"id":"call_abc123","type":"function","function":{"name":"get_weather",
"arguments":"{\n\"location\": \"Boston\"\n}"}}]},"finish_reason":"tool_calls"}],
"usage":{"prompt_tokens":82,"completion_tokens":17,"total_tokens":99}})",
            {.stop_reason = "tool_calls",
             .tool_calls = {{"call_abc123", "get_weather", "{\n\"location\": \"Boston\"\n}"}},
             .usage = {.prompt = 82, .completion = 17}}},
        DecodeCase{"tool_call_object",
                   &kOpenai,
                   R"({"choices":[{"message":{"tool_calls":[{"function":{"name":"f",
"arguments":{"a":1}}},{"type":"other"},7]}}]})",
                   {.tool_calls = {{"", "f", R"({"a":1})"}}}},
        DecodeCase{"parts",
                   &kOpenai,
                   R"({"choices":[{"message":{"content":[{"type":"thinking","thinking":
[{"type":"text","text":"hm"}]},{"type":"text","text":"a"},{"type":"text","text":"b"},
{"type":"image_url","image_url":{"url":"x"}}]},"finish_reason":"stop"}]})",
                   {.text = "ab", .thinking = "hm", .stop_reason = "stop"}},
        DecodeCase{"refusal",
                   &kOpenai,
                   R"({"choices":[{"message":{"content":null,"refusal":"I can't help with that."},
"finish_reason":"stop"}]})",
                   {.text = "I can't help with that.", .stop_reason = "stop"}},
        DecodeCase{"reasoning",
                   &kOpenai,
                   R"({"choices":[{"message":{"content":"4","reasoning_content":"2+2"},
"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":9,"total_tokens":14,
"prompt_cache_hit_tokens":2,"completion_tokens_details":{"reasoning_tokens":8}}})",
                   {.text = "4",
                    .thinking = "2+2",
                    .stop_reason = "stop",
                    .usage = {.prompt = 5, .completion = 9, .thinking = 8, .cached = 2}}},
        DecodeCase{"thinking_beside_the_completion",
                   &kOpenai,
                   R"({"choices":[{"message":{"content":"4","reasoning":"2+2"}}],
"usage":{"prompt_tokens":32,"completion_tokens":9,"total_tokens":135,
"completion_tokens_details":{"reasoning_tokens":94}}})",
                   {.text = "4",
                    .thinking = "2+2",
                    .usage = {.prompt = 32, .completion = 103, .thinking = 94}}},
        DecodeCase{"cut_off_while_thinking",
                   &kOpenai,
                   R"({"choices":[{"message":{"content":"","reasoning":"hm"},
"finish_reason":"length"}]})",
                   {.thinking = "hm", .stop_reason = "length"}},
        DecodeCase{"empty",
                   &kOpenai,
                   R"({"choices":[{"message":{"content":null},"finish_reason":"content_filter"}]})",
                   {.stop_reason = "content_filter"}},
        DecodeCase{"nul",
                   &kOpenai,
                   R"({"choices":[{"message":{"content":"a\u0000b"}}]})",
                   {.text = std::string("a\0b", 3)}},
        DecodeCase{"wrong_figures",
                   &kOpenai,
                   R"({"choices":[{"message":{"content":"x","reasoning":7,"tool_calls":"y"},
"finish_reason":3}],"usage":{"prompt_tokens":-1,"completion_tokens":"9","total_tokens":[],
"cost":-2,"prompt_tokens_details":5,"completion_tokens_details":{"reasoning_tokens":1.5}}})",
                   {.text = "x"}},
        DecodeCase{"largest_figures",
                   &kOpenai,
                   R"({"choices":[{"message":{"content":"x"}}],"usage":{
"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807,
"total_tokens":0,"completion_tokens_details":{"reasoning_tokens":9223372036854775807}}})",
                   {.text = "x", .usage = {}}},  // no answer has so many: unknown
        DecodeCase{"usage_null",
                   &kOpenai,
                   R"({"error":null,"choices":[{"message":{"content":"x"}}],"usage":null})",
                   {.text = "x"}}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Openrouter, DecodeAnswer,
    testing::Values(
        DecodeCase{
            "cost",
            &kOpenrouter,
            R"({"id":"gen-1","provider":"OpenAI","model":"openai/gpt-4o-mini","choices":[{
"logprobs":null,"finish_reason":"stop","native_finish_reason":"stop","index":0,"message":{
"role":"assistant","content":"Paris","refusal":null,"reasoning":null}}],"usage":{
"prompt_tokens":194,"completion_tokens":2,"total_tokens":196,"cost":0.00014,"is_byok":false,
"cost_details":{"upstream_inference_cost":0.0001},"prompt_tokens_details":{"cached_tokens":10,
"cache_write_tokens":100,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}})",
            {.text = "Paris",
             .stop_reason = "stop",
             .usage =
                 {.prompt = 194, .completion = 2, .thinking = 0, .cached = 10, .cache_write = 100},
             .cost = {.total = 0.00014}}},
        DecodeCase{"own_key",
                   &kOpenrouter,
                   R"({"choices":[{"message":{"content":"x"}}],"usage":{"cost":0.25,"is_byok":true,
"cost_details":{"upstream_inference_cost":5}}})",
                   {.text = "x", .cost = {.total = 5.25}}},
        DecodeCase{"perplexity",
                   &kOpenai,
                   R"({"choices":[{"message":{"content":"x"}}],"usage":{"cost":{
"input_tokens_cost":0.5,"output_tokens_cost":0.25,"request_cost":1,"total_cost":1.75}}})",
                   {.text = "x", .cost = {.input = 0.5, .output = 0.25, .total = 1.75}}}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Anthropic, DecodeAnswer,
    testing::Values(
        DecodeCase{
            "plain",
            &kAnthropic,
            R"({"id":"msg_013Zva2CMHLNnXjNJJKqJ2EF","type":"message","role":"assistant",
"model":"claude-sonnet-4-20250514","content":[{"type":"text","text":"Hi! "},
{"type":"text","text":"I'm Claude.","citations":null}],"stop_reason":"end_turn",
"stop_sequence":null,"usage":{"input_tokens":2095,"cache_creation_input_tokens":100,
"cache_read_input_tokens":1000,"output_tokens":503,"service_tier":"standard"}})",
            {.text = "Hi! I'm Claude.",
             .stop_reason = "end_turn",
             .usage = {.prompt = 3195, .completion = 503, .cached = 1000, .cache_write = 100}}},
        DecodeCase{
            "thinking",
            &kAnthropic,
            R"({"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"x"},
{"type":"redacted_thinking","data":"EmwK"},{"type":"text","text":"4"}],"stop_reason":"end_turn",
"usage":{"input_tokens":10,"output_tokens":20}})",
            {.text = "4",
             .thinking = "hm",
             .stop_reason = "end_turn",
             .usage = {.prompt = 10, .completion = 20}}},
        DecodeCase{
            "only_thinking",
            &kAnthropic,
            R"({"content":[{"type":"thinking","thinking":"hm"}],"stop_reason":"max_tokens"})",
            {.thinking = "hm", .stop_reason = "max_tokens"}},
        DecodeCase{"tool_use",
                   &kAnthropic,
                   R"({"content":[{"type":"tool_use","id":"toolu_01","name":"get_weather",
"input":{"location":"Boston"}}],"stop_reason":"tool_use"})",
                   {.stop_reason = "tool_use",
                    .tool_calls = {{"toolu_01", "get_weather", R"({"location":"Boston"})"}}}},
        DecodeCase{"nothing",
                   &kAnthropic,
                   R"({"content":[],"stop_reason":"refusal"})",
                   {.stop_reason = "refusal"}},
        DecodeCase{"wrong_types",
                   &kAnthropic,
                   R"({"content":[7,null,"x",{"type":"text","text":9},{"type":5}],"stop_reason":[],
"usage":{"input_tokens":9223372036854775807,"cache_read_input_tokens":9223372036854775807}})",
                   {}}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Ollama, DecodeAnswer,
    testing::Values(
        DecodeCase{"plain",
                   &kOllama,
                   R"({"model":"llama3.2","created_at":"2023-12-12T14:13:43.416799Z","message":
{"role":"assistant","content":"Hello! How are you today?"},"done_reason":"stop","done":true,
"total_duration":5191566416,"load_duration":2154458,"prompt_eval_count":26,
"prompt_eval_duration":383809000,"eval_count":298,"eval_duration":4799921000})",
                   {.text = "Hello! How are you today?",
                    .stop_reason = "stop",
                    .usage = {.prompt = 26, .completion = 298}}},
        DecodeCase{"thinking",
                   &kOllama,
                   R"({"message":{"content":"4","thinking":"2+2"},"done_reason":"length"})",
                   {.text = "4", .thinking = "2+2", .stop_reason = "length"}},
        DecodeCase{"tool_calls",
                   &kOllama,
                   R"({"message":{"role":"assistant","content":"","tool_calls":[{"function":
{"name":"get_weather","arguments":{"city":"Toronto"}}}]}})",
                   {.tool_calls = {{"", "get_weather", R"({"city":"Toronto"})"}}}}),
    [](const auto& row) { return row.param.name; });

struct BadCase {
  const char* name;
  const HttpProvider* provider;
  HttpResponse response;
  Kind kind;
  std::string message;
};
class DecodeFailure : public testing::TestWithParam<BadCase> {};
TEST_P(DecodeFailure, Says) {
  const auto& row = GetParam();
  const auto got = read_response(row.response, 60, {"sk-secret"}, row.provider->decode);
  ASSERT_FALSE(got.has_value()) << got->text;
  EXPECT_EQ(to_string(got.error().kind), to_string(row.kind));
  EXPECT_EQ(got.error().message, row.message);
  EXPECT_EQ(got.error().tries, row.response.tries);
}

HttpResponse html(int status, std::string body) {
  HttpResponse out = response_of(status, std::move(body));
  out.headers = {{"content-type", "text/html; charset=utf-8"}};
  return out;
}

INSTANTIATE_TEST_SUITE_P(
    Status, DecodeFailure,
    testing::Values(
        BadCase{
            "bad_key", &kOpenai,
            response_of(401, R"({"error":{"message":"Incorrect API key provided: sk-secret.\nSee)"
                             R"( the\tdocs.","type":"x","param":null,"code":"invalid_api_key"}})"),
            Kind::refused,
            "HTTP 401: Incorrect API key provided: [key]. See the docs. (invalid_api_key)"},
        BadCase{
            "too_many", &kOpenai,
            response_of(429, R"({"error":{"message":"Rate limit reached","type":"requests"}})", 5),
            Kind::refused, "HTTP 429: Rate limit reached (requests)"},
        BadCase{"broken", &kOpenai, html(502, "<html>\n<h1>Bad\x1bGateway</h1>"), Kind::unreachable,
                "HTTP 502: <html> <h1>Bad\uFFFDGateway</h1>"},
        BadCase{"nothing_said", &kOpenai, html(503, ""), Kind::unreachable, "HTTP 503"},
        BadCase{"detail", &kOpenai, response_of(404, R"({"detail":"Not Found"})"), Kind::refused,
                "HTTP 404: Not Found"},
        BadCase{"details", &kOpenai,
                response_of(422, R"({"detail":[{"loc":["body"],"msg":"field required"}]})"),
                Kind::refused, "HTTP 422: field required"},
        BadCase{"vllm", &kOpenai,
                response_of(400, R"({"object":"error","message":"too long","code":400})"),
                Kind::refused, "HTTP 400: too long"},
        BadCase{"overloaded", &kAnthropic,
                response_of(529, R"({"type":"error","error":{"type":"overloaded_error",
"message":"Overloaded"},"request_id":"req_1"})",
                            5),
                Kind::unreachable, "HTTP 529: Overloaded (overloaded_error)"},
        BadCase{"ollama", &kOllama, response_of(404, R"({"error":"model 'x' not found"})"),
                Kind::refused, "HTTP 404: model 'x' not found"},
        BadCase{"openrouter_raw", &kOpenrouter,
                response_of(400, R"({"error":{"message":"Provider returned error","code":400,
"metadata":{"raw":"bad temperature","provider_name":"X"}}})"),
                Kind::refused, "HTTP 400: Provider returned error: bad temperature"},
        BadCase{"long_story", &kOpenai,
                response_of(400, R"({"error":{"message":")" + std::string(5000, 'x') + "\"}}"),
                Kind::refused, "HTTP 400: " + std::string(300, 'x') + "…"},
        BadCase{"large_page", &kOpenai, html(500, std::string(10u << 20, 'y')), Kind::unreachable,
                "HTTP 500: " + std::string(300, 'y') + "…"},
        BadCase{"wrong_types", &kOpenai, response_of(400, R"({"error":{"message":[],"code":{}}})"),
                Kind::refused, R"(HTTP 400: {"error":{"message":[],"code":{}}})"},
        BadCase{"moved", &kOpenai, response_of(301, ""), Kind::refused, "HTTP 301: moved to ``"}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Fault, DecodeFailure,
    testing::Values(
        BadCase{"cancelled", &kOpenai, fault_of(HttpResponse::Fault::cancelled, "", 1),
                Kind::cancelled, "cancelled"},
        BadCase{"timed_out", &kOpenai, fault_of(HttpResponse::Fault::timed_out, "x", 2),
                Kind::timed_out, "no response within 60 s"},
        BadCase{"connection", &kOpenai,
                fault_of(HttpResponse::Fault::connection, "could not resolve `api.openai.com`", 5),
                Kind::unreachable, "no connection: could not resolve `api.openai.com`"},
        BadCase{"certificate", &kOpenai, fault_of(HttpResponse::Fault::certificate, "expired", 1),
                Kind::unreachable, "the server's certificate cannot be trusted: expired"},
        BadCase{"too_large", &kOpenai, fault_of(HttpResponse::Fault::too_large, "", 1),
                Kind::malformed, "the response is too large"},
        BadCase{"bad_request", &kOpenai, fault_of(HttpResponse::Fault::bad_request, "no host", 0),
                Kind::refused, "cannot be sent: no host"}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Success, DecodeFailure,
    testing::Values(
        BadCase{"error_in_it", &kOpenrouter,
                response_of(200,
                            R"({"error":{"code":502,"message":"Upstream is down"},"user_id":"u"})"),
                Kind::unreachable, "error 502: Upstream is down"},
        BadCase{"error_of_the_choice", &kOpenrouter,
                response_of(200, R"({"choices":[{"error":{"code":429,"message":"slow down"},
"finish_reason":"error","message":{"content":""}}]})"),
                Kind::refused, "error 429: slow down"},
        BadCase{"error_text", &kOllama, response_of(200, R"({"error":"out of memory"})"),
                Kind::refused, "error: out of memory"},
        BadCase{"error_of_another_type", &kOpenai, response_of(200, R"({"error":[1]})"),
                Kind::refused, "error: [1]"},
        BadCase{
            "anthropic_error", &kAnthropic,
            response_of(200, R"({"type":"error","error":{"type":"api_error","message":"oops"}})"),
            Kind::refused, "error: oops (api_error)"},
        BadCase{"empty", &kOpenai, response_of(200, ""), Kind::malformed,
                "expected JSON: the response is empty"},
        BadCase{"page", &kOpenai, html(200, "<!doctype html>"), Kind::malformed,
                "expected JSON, got `text/html; charset=utf-8`: `<!doctype html>`"},
        BadCase{"truncated", &kOpenai, response_of(200, R"({"choices":[{"mess)"), Kind::malformed,
                R"(expected JSON, but it is not valid JSON: `{"choices":[{"mess`)"},
        BadCase{"not_utf8", &kOpenai, response_of(200, "{\"choices\":\"\xff\"}"), Kind::malformed,
                "expected JSON, but it is not UTF-8: `{\"choices\":\"\uFFFD\"}`"},
        BadCase{"nul", &kOpenai, response_of(200, std::string("\0\0", 2)), Kind::malformed,
                "expected JSON, but it is not valid JSON: `\uFFFD\uFFFD`"},
        BadCase{"deep", &kOpenai, response_of(200, std::string(100'000, '[')), Kind::malformed,
                "expected JSON, but it is not valid JSON: `" + std::string(120, '[') + "…`"},
        BadCase{"no_choices", &kOpenai, response_of(200, R"({"choices":[]})"), Kind::malformed,
                R"(no `/choices/0` in the response: `{"choices":[]}`)"},
        BadCase{"list", &kOpenai, response_of(200, "[1]"), Kind::malformed,
                "no `/choices/0` in the response: `[1]`"},
        BadCase{"no_message", &kOpenai, response_of(200, R"({"choices":[{"message":"x"}]})"),
                Kind::malformed,
                R"(no `/choices/0/message` in the response: `{"choices":[{"message":"x"}]}`)"},
        BadCase{
            "no_content", &kOpenai, response_of(200, R"({"choices":[{"message":{}}]})"),
            Kind::malformed,
            R"(no `/choices/0/message/content` in the response: `{"choices":[{"message":{}}]}`)"},
        BadCase{"content_is_a_number", &kOpenai,
                response_of(200, R"({"choices":[{"message":{"content":5}}]})"), Kind::malformed,
                "`/choices/0/message/content` is neither a string nor a list of parts: "
                R"(`{"choices":[{"message":{"content":5}}]}`)"},
        BadCase{"anthropic_content", &kAnthropic, response_of(200, R"({"content":"x"})"),
                Kind::malformed, R"(no `/content` list in the response: `{"content":"x"}`)"},
        BadCase{"ollama_content", &kOllama, response_of(200, R"({"message":{"content":null}})"),
                Kind::malformed,
                R"(no `/message/content` string in the response: `{"message":{"content":null}}`)"},
        BadCase{"ollama_key", &kOllama, html(200, "see sk-secret and sk-secret"), Kind::malformed,
                "expected JSON, got `text/html; charset=utf-8`: `see [key] and [key]`"}),
    [](const auto& row) { return row.param.name; });

TEST(DecodeAnswer, TakesALargeAnswer) {
  const std::string text(10u << 20, 'z');
  const auto got = kOpenai.decode(
      response_of(200, R"({"choices":[{"message":{"content":")" + text + R"("}}]})"));
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->text, text);
}

}  // namespace
}  // namespace vibe::model
