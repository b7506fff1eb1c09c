#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "model/open.h"
#include "model/provider.h"

namespace vibe::model {
namespace {

Request plain() {
  Request request;
  request.messages = {{Message::Role::user, "Say \"hi\"\n"}};
  request.timeout = 7;
  return request;
}

Request full() {
  Request request;
  request.system = "Be terse.";
  request.messages = {
      {Message::Role::user, "a"}, {Message::Role::assistant, "b"}, {Message::Role::user, "c"}};
  request.parameters = {.temperature = 0.5, .top_p = 0.9, .max_output_tokens = 50, .seed = 7};
  return request;
}

// Two calls in one answer, one of which failed; then one whose arguments are no JSON.
Request with_calls() {
  using Role = Message::Role;
  Request request;
  request.tools = {{"add", "Adds", R"({"type":"object","properties":{}})"},
                   {"now", "", R"({"type":"object","properties":{}})"}};
  request.messages = {{Role::user, "a"},
                      {Role::assistant, "", {{"c1", "add", R"({"x":1})"}, {"c2", "now", "{}"}}},
                      {Role::tool, "1", {}, "c1"},
                      {Role::tool, "no clock", {}, "c2", true},
                      {Role::assistant, "hm", {{"c3", "add", "{x"}}},
                      {Role::tool, "", {}, "c3"}};
  return request;
}

TEST(AnthropicName, IsWhatAnthropicCallsIt) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kNames{{
      {"claude-3.5-sonnet", "claude-3-5-sonnet-latest"},
      {"claude-3.5-sonnet-20240620", "claude-3-5-sonnet-20240620"},
      {"claude-3-haiku", "claude-3-haiku-20240307"},
      {"claude-sonnet-4", "claude-sonnet-4-0"},
      {"claude-sonnet-4.5", "claude-sonnet-4-5"},
      {"claude-opus-4.1", "claude-opus-4-1"},
      {"claude-opus-4-1-20250805", "claude-opus-4-1-20250805"},
      {"claude-sonnet-5", "claude-sonnet-5"},
      {"anthropic.claude-v2:1", "anthropic.claude-v2:1"},  // a gateway's
      {"claude-3.7-sonnet:thinking", ""},
      {"claude-opus-4.6-fast", ""},
  }};
  for (const auto& [name, own] : kNames) EXPECT_EQ(anthropic_name(name), own) << name;
}

// What a row says can be set is in the request, and nothing else is.
TEST(Parameters, AreThoseOfTheRow) {
  for (const ProviderRow& row : providers()) {
    if (!row.protocol) continue;
    const auto body = [&](const Request& request) {
      return row.protocol->encode({"https://x.example", "k", "m"}, request).value().body;
    };
    const auto sends = [&](const Parameters& parameters) {
      Request request = plain();
      request.parameters = parameters;
      return body(request) != body(plain());
    };
    const auto says = [&](std::string_view name) {
      return std::find(row.parameters.begin(), row.parameters.end(), name) != row.parameters.end();
    };
    EXPECT_EQ(sends({.temperature = 0.5}), says("temperature")) << row.name;
    EXPECT_EQ(sends({.top_p = 0.5}), says("top_p")) << row.name;
    EXPECT_EQ(sends({.max_output_tokens = 5}), says("max_tokens")) << row.name;
    EXPECT_EQ(sends({.seed = 5}), says("seed")) << row.name;
    Request with_tools = plain();
    with_tools.tools = {{"now", "", R"({"type":"object"})"}};
    EXPECT_EQ(body(with_tools) != body(plain()), row.takes_tools) << row.name;
  }
}

struct EncodeCase {
  const char* name;
  const HttpProvider* provider;
  std::string base_url;
  Request request;
  std::string url;
  Headers headers;
  std::string body;
};
class Encode : public testing::TestWithParam<EncodeCase> {};
TEST_P(Encode, Gives) {
  const auto& row = GetParam();
  const auto got = row.provider->encode({row.base_url, "sk-1", "m"}, row.request);
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(got->method, "POST");
  EXPECT_EQ(got->url, row.url);
  EXPECT_EQ(got->headers, row.headers);
  EXPECT_EQ(got->body, row.body);
  EXPECT_EQ(got->timeout, row.request.timeout);
}

const Headers kBearer{{"authorization", "Bearer sk-1"}, {"content-type", "application/json"}};
const Headers kXApiKey{{"x-api-key", "sk-1"},
                       {"anthropic-version", "2023-06-01"},
                       {"content-type", "application/json"}};
constexpr const char* kPlainOpenai =
    R"({"model":"m","messages":[{"role":"user","content":"Say \"hi\"\n"}]})";
const std::string kConversation =
    R"("messages":[{"role":"system","content":"Be terse."},{"role":"user","content":"a"},)"
    R"({"role":"assistant","content":"b"},{"role":"user","content":"c"}])";

const std::string kFunctions =
    R"("tools":[{"type":"function","function":{"name":"add","description":"Adds",)"
    R"("parameters":{"type":"object","properties":{}}}},{"type":"function","function":)"
    R"({"name":"now","parameters":{"type":"object","properties":{}}}}])";
const std::string kOpenaiCalls =
    R"({"model":"m","messages":[{"role":"user","content":"a"},)"
    R"({"role":"assistant","content":null,"tool_calls":[)"
    R"({"id":"c1","type":"function","function":{"name":"add","arguments":"{\"x\":1}"}},)"
    R"({"id":"c2","type":"function","function":{"name":"now","arguments":"{}"}}]},)"
    R"({"role":"tool","tool_call_id":"c1","content":"1"},)"
    R"({"role":"tool","tool_call_id":"c2","content":"error: no clock"},)"
    R"({"role":"assistant","content":"hm","tool_calls":[)"
    R"({"id":"c3","type":"function","function":{"name":"add","arguments":"{x"}}]},)"
    R"({"role":"tool","tool_call_id":"c3","content":""}],)";

INSTANTIATE_TEST_SUITE_P(
    Providers, Encode,
    testing::Values(
        EncodeCase{"openai_tools", &kOpenai, "https://api.openai.com/v1", with_calls(),
                   "https://api.openai.com/v1/chat/completions", kBearer,
                   kOpenaiCalls + kFunctions + "}"},
        EncodeCase{
            "anthropic_tools", &kAnthropic, "https://api.anthropic.com", with_calls(),
            "https://api.anthropic.com/v1/messages", kXApiKey,
            R"({"model":"m","max_tokens":4096,"messages":[{"role":"user","content":"a"},)"
            R"({"role":"assistant","content":[)"
            R"({"type":"tool_use","id":"c1","name":"add","input":{"x":1}},)"
            R"({"type":"tool_use","id":"c2","name":"now","input":{}}]},)"
            R"({"role":"user","content":[)"
            R"({"type":"tool_result","tool_use_id":"c1","content":"1"},)"
            R"({"type":"tool_result","tool_use_id":"c2","content":"no clock","is_error":true}]},)"
            R"({"role":"assistant","content":[{"type":"text","text":"hm"},)"
            R"({"type":"tool_use","id":"c3","name":"add","input":{}}]},)"
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c3"}]}],)"
            R"("tools":[{"name":"add","description":"Adds",)"
            R"("input_schema":{"type":"object","properties":{}}},)"
            R"({"name":"now","input_schema":{"type":"object","properties":{}}}]})"},
        EncodeCase{"ollama_tools", &kOllama, "http://127.0.0.1:11434", with_calls(),
                   "http://127.0.0.1:11434/api/chat", Headers{{"content-type", "application/json"}},
                   R"({"model":"m","stream":false,"messages":[{"role":"user","content":"a"},)"
                   R"({"role":"assistant","content":"","tool_calls":[)"
                   R"({"function":{"name":"add","arguments":{"x":1}}},)"
                   R"({"function":{"name":"now","arguments":{}}}]},)"
                   R"({"role":"tool","content":"1","tool_name":"add"},)"
                   R"({"role":"tool","content":"error: no clock","tool_name":"now"},)"
                   R"({"role":"assistant","content":"hm","tool_calls":[)"
                   R"({"function":{"name":"add","arguments":{}}}]},)"
                   R"({"role":"tool","content":"","tool_name":"add"}],)" +
                       kFunctions + "}"},
        EncodeCase{"openai", &kOpenai, "https://api.openai.com/v1", plain(),
                   "https://api.openai.com/v1/chat/completions", kBearer, kPlainOpenai},
        EncodeCase{"openai_full", &kOpenai, "https://api.openai.com/v1", full(),
                   "https://api.openai.com/v1/chat/completions", kBearer,
                   "{\"model\":\"m\"," + kConversation +
                       R"(,"temperature":0.5,"top_p":0.9,"max_completion_tokens":50,"seed":7})"},
        EncodeCase{"azure", &kOpenai, "https://me.openai.azure.com/openai/v1", full(),
                   "https://me.openai.azure.com/openai/v1/chat/completions", kBearer,
                   "{\"model\":\"m\"," + kConversation +
                       R"(,"temperature":0.5,"top_p":0.9,"max_completion_tokens":50,"seed":7})"},
        EncodeCase{"compatible", &kOpenai, "http://localhost:8000/v1", full(),
                   "http://localhost:8000/v1/chat/completions", kBearer,
                   "{\"model\":\"m\"," + kConversation +
                       R"(,"temperature":0.5,"top_p":0.9,"max_tokens":50,"seed":7})"},
        EncodeCase{"not_openai", &kOpenai, "https://notopenai.com/v1", full(),
                   "https://notopenai.com/v1/chat/completions", kBearer,
                   "{\"model\":\"m\"," + kConversation +
                       R"(,"temperature":0.5,"top_p":0.9,"max_tokens":50,"seed":7})"},
        EncodeCase{"openrouter", &kOpenrouter, "https://openrouter.ai/api/v1", full(),
                   "https://openrouter.ai/api/v1/chat/completions", kBearer,
                   "{\"model\":\"m\"," + kConversation +
                       R"(,"temperature":0.5,"top_p":0.9,"max_tokens":50,"seed":7,)" +
                       R"("usage":{"include":true}})"},
        EncodeCase{
            "anthropic", &kAnthropic, "https://api.anthropic.com", plain(),
            "https://api.anthropic.com/v1/messages", kXApiKey,
            R"({"model":"m","max_tokens":4096,"messages":[{"role":"user","content":"Say \"hi\"\n"}]})"},
        EncodeCase{"anthropic_full", &kAnthropic, "https://proxy.example/v1", full(),
                   "https://proxy.example/v1/messages", kXApiKey,
                   R"({"model":"m","max_tokens":50,"system":"Be terse.","messages":[)"
                   R"({"role":"user","content":"a"},{"role":"assistant","content":"b"},)"
                   R"({"role":"user","content":"c"}],"temperature":0.5,"top_p":0.9})"},
        EncodeCase{
            "ollama", &kOllama, "http://127.0.0.1:11434", plain(),
            "http://127.0.0.1:11434/api/chat", Headers{{"content-type", "application/json"}},
            R"({"model":"m","stream":false,"messages":[{"role":"user","content":"Say \"hi\"\n"}]})"},
        EncodeCase{"ollama_full", &kOllama, "http://127.0.0.1:11434", full(),
                   "http://127.0.0.1:11434/api/chat", Headers{{"content-type", "application/json"}},
                   "{\"model\":\"m\",\"stream\":false," + kConversation +
                       R"(,"options":{"temperature":0.5,"top_p":0.9,"seed":7,"num_predict":50}})"}),
    [](const auto& row) { return row.param.name; });

TEST(Encode, OllamaMayCallWithoutContent) {
  HttpResponse response;
  response.status = 200;
  response.body = R"({"message":{"tool_calls":[{"function":{"name":"add","arguments":{"x":1}}}]}})";
  const Outcome got = kOllama.decode(response);
  ASSERT_TRUE(got.has_value()) << got.error().message;
  ASSERT_EQ(got->tool_calls.size(), 1u);
  EXPECT_EQ(got->tool_calls[0].arguments, R"({"x":1})");
  EXPECT_EQ(got->text, "");
}

TEST(Encode, LeavesOutTheKeyThatIsNotThere) {
  const auto got = kOpenai.encode({"http://localhost/v1", "", "m"}, plain());
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->headers, (Headers{{"content-type", "application/json"}}));
}

TEST(Encode, AnthropicRefusesATemperatureItDoesNotHave) {
  Request request = plain();
  request.parameters.temperature = 1.5;
  const auto got = kAnthropic.encode({"https://api.anthropic.com", "k", "m"}, request);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().kind, Failure::Kind::refused);
  EXPECT_EQ(got.error().tries, 0);
  EXPECT_EQ(got.error().message,
            "not sent: Anthropic's temperature goes from 0 to 1, and the suite asks for 1.5");
  request.parameters.temperature = 1;
  EXPECT_TRUE(kAnthropic.encode({"https://api.anthropic.com", "k", "m"}, request).has_value());
}

TEST(Encode, WritesAPromptThatIsNotUtf8AsValidJson) {
  Request request;
  request.messages = {{Message::Role::user, std::string("a\xff\0", 3)}};
  const auto got = kOpenai.encode({"http://localhost/v1", "", "m"}, request);
  ASSERT_TRUE(got.has_value());
  EXPECT_TRUE(base::parse_json(got->body).has_value()) << got->body;
}

}  // namespace
}  // namespace vibe::model
