#include "model/open.h"

#include <map>

#include <gtest/gtest.h>

#include "base/text.h"
#include "model/fake_client.h"
#include "model/local.h"

namespace vibe::model {
namespace {

using base::Code;
using Variables = std::map<std::string, std::string, std::less<>>;

Settings model_settings(Variables variables) {
  Settings settings;
  settings.variable = [variables](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  settings.endpoints = {{"corp", "https://llm.corp.example/v1/", "CORP_KEY"},
                        {"local", "http://localhost:8000/v1", ""},
                        {"broken", "localhost:8000", ""}};
  return settings;
}

struct RouteCase {
  const char* name;
  Variables variables;
  std::string model;
  std::string provider, key_variable;
  bool key_set;
  std::string base_url, sent_model;
};
class Routes : public testing::TestWithParam<RouteCase> {};
TEST_P(Routes, GoThere) {
  const auto& row = GetParam();
  FakeWire wire;
  Settings settings = model_settings(row.variables);
  settings.make_client = [&](const HttpOptions&) -> base::Result<std::unique_ptr<HttpClient>> {
    return std::make_unique<FakeClient>(wire);
  };
  const Models models(settings);
  const auto route = models.route(row.model);
  ASSERT_TRUE(route.has_value()) << base::render(route.error());
  EXPECT_EQ(route->provider, row.provider);
  EXPECT_EQ(route->key_variable, row.key_variable);
  EXPECT_EQ(route->key_set, row.key_set);
  EXPECT_EQ(route->base_url, row.base_url);
  if (row.sent_model.empty()) return;
  const auto opened = models.open(row.model);
  ASSERT_TRUE(opened.has_value()) << base::render(opened.error());
  EXPECT_EQ(opened->name, row.model);
  Request request;
  request.messages = {{Message::Role::user, "x"}};
  opened->model->ask(request, [](const Outcome&) {});
  ASSERT_EQ(wire.sent.size(), 1u);
  EXPECT_TRUE(wire.sent[0].url.starts_with(row.base_url + "/")) << wire.sent[0].url;
  EXPECT_NE(wire.sent[0].body.find("\"model\":\"" + row.sent_model + "\""), std::string::npos)
      << wire.sent[0].body;
}

const Variables kBoth{{"OPENAI_API_KEY", "a"}, {"OPENROUTER_API_KEY", "b"}};
const Variables kRouter{{"OPENROUTER_API_KEY", "b"}};
constexpr const char* kRouterUrl = "https://openrouter.ai/api/v1";

INSTANTIATE_TEST_SUITE_P(
    Open, Routes,
    testing::Values(
        RouteCase{"openai", kBoth, "openai/gpt-4o", "openai", "OPENAI_API_KEY", true,
                  "https://api.openai.com/v1", "gpt-4o"},
        RouteCase{"openai_without_key", kRouter, "openai/gpt-4o", "openrouter",
                  "OPENROUTER_API_KEY", true, kRouterUrl, "openai/gpt-4o"},
        RouteCase{"openai_with_an_empty_key",
                  {{"OPENAI_API_KEY", " "}, {"OPENROUTER_API_KEY", "b"}},
                  "openai/gpt-4o",
                  "openrouter",
                  "OPENROUTER_API_KEY",
                  true,
                  kRouterUrl,
                  "openai/gpt-4o"},
        RouteCase{"no_key_at_all",
                  {},
                  "openai/gpt-4o",
                  "openai",
                  "OPENAI_API_KEY",
                  false,
                  "https://api.openai.com/v1",
                  ""},
        RouteCase{"openai_elsewhere",
                  {{"OPENAI_API_KEY", "a\n"}, {"OPENAI_BASE_URL", "http://localhost:1234/v1//"}},
                  "openai/x",
                  "openai",
                  "OPENAI_API_KEY",
                  true,
                  "http://localhost:1234/v1",
                  "x"},
        RouteCase{"anthropic",
                  {{"ANTHROPIC_API_KEY", "a"}},
                  "anthropic/claude-3.5-sonnet",
                  "anthropic",
                  "ANTHROPIC_API_KEY",
                  true,
                  "https://api.anthropic.com",
                  "claude-3-5-sonnet-latest"},
        RouteCase{"anthropic_elsewhere",
                  {{"ANTHROPIC_API_KEY", "a"}, {"ANTHROPIC_BASE_URL", "http://gateway.example"}},
                  "anthropic/claude-3.7-sonnet:thinking",
                  "anthropic",
                  "ANTHROPIC_API_KEY",
                  true,
                  "http://gateway.example",
                  "claude-3.7-sonnet:thinking"},
        RouteCase{"anthropic_elsewhere_as_written",
                  {{"ANTHROPIC_API_KEY", "a"}, {"ANTHROPIC_BASE_URL", "http://gateway.example"}},
                  "anthropic/claude-3.5-sonnet",
                  "anthropic",
                  "ANTHROPIC_API_KEY",
                  true,
                  "http://gateway.example",
                  "claude-3.5-sonnet"},
        RouteCase{"anthropic_by_the_router", kRouter, "anthropic/claude-3.5-sonnet", "openrouter",
                  "OPENROUTER_API_KEY", true, kRouterUrl, "anthropic/claude-3.5-sonnet"},
        RouteCase{"other", kBoth, "meta-llama/llama-3:free", "openrouter", "OPENROUTER_API_KEY",
                  true, kRouterUrl, "meta-llama/llama-3:free"},
        RouteCase{"by_name", kBoth, "openrouter/openai/gpt-4o", "openrouter", "OPENROUTER_API_KEY",
                  true, kRouterUrl, "openai/gpt-4o"},
        RouteCase{"auto", kBoth, "openrouter/auto", "openrouter", "OPENROUTER_API_KEY", true,
                  kRouterUrl, "openrouter/auto"},
        RouteCase{"named_as_a_form", kBoth, "exec/x", "openrouter", "OPENROUTER_API_KEY", true,
                  kRouterUrl, "exec/x"},
        RouteCase{"endpoint",
                  {{"CORP_KEY", "c"}},
                  "corp/a/b",
                  "corp",
                  "CORP_KEY",
                  true,
                  "https://llm.corp.example/v1",
                  "a/b"},
        RouteCase{"endpoint_without_key",
                  {},
                  "local/x",
                  "local",
                  "",
                  false,
                  "http://localhost:8000/v1",
                  "x"},
        RouteCase{"ollama",
                  {},
                  "ollama/llama3:8b",
                  "ollama",
                  "",
                  false,
                  "http://127.0.0.1:11434",
                  "llama3:8b"},
        RouteCase{"ollama_host",
                  {{"OLLAMA_HOST", "box"}},
                  "ollama/x",
                  "ollama",
                  "",
                  false,
                  "http://box:11434",
                  "x"},
        RouteCase{"ollama_port",
                  {{"OLLAMA_HOST", "0.0.0.0:8080"}},
                  "ollama/x",
                  "ollama",
                  "",
                  false,
                  "http://0.0.0.0:8080",
                  "x"},
        RouteCase{"ollama_only_port",
                  {{"OLLAMA_HOST", ":8080"}},
                  "ollama/x",
                  "ollama",
                  "",
                  false,
                  "http://127.0.0.1:8080",
                  "x"},
        RouteCase{"ollama_scheme",
                  {{"OLLAMA_HOST", "https://box"}},
                  "ollama/x",
                  "ollama",
                  "",
                  false,
                  "https://box:443",
                  "x"},
        RouteCase{"ollama_path",
                  {{"OLLAMA_HOST", "http://box:1/api/"}},
                  "ollama/x",
                  "ollama",
                  "",
                  false,
                  "http://box:1/api",
                  "x"},
        RouteCase{"ollama_v6",
                  {{"OLLAMA_HOST", "[::1]:8080"}},
                  "ollama/x",
                  "ollama",
                  "",
                  false,
                  "http://[::1]:8080",
                  "x"},
        RouteCase{"ollama_bare_v6",
                  {{"OLLAMA_HOST", "::1"}},
                  "ollama/x",
                  "ollama",
                  "",
                  false,
                  "http://[::1]:11434",
                  "x"},
        RouteCase{"ollama_v6_without_port",
                  {{"OLLAMA_HOST", "[::1]"}},
                  "ollama/x",
                  "ollama",
                  "",
                  false,
                  "http://[::1]:11434",
                  "x"},
        RouteCase{"exec", {}, "exec:no-such-program", "exec", "", false, "", ""}),
    [](const auto& row) { return row.param.name; });

TEST(Routes, AnEndpointComesBeforeAProviderOfItsName) {
  Settings settings = model_settings(kBoth);
  settings.endpoints = {{"openai", "http://proxy.example", ""}};
  const auto route = Models(settings).route("openai/x");
  ASSERT_TRUE(route.has_value());
  EXPECT_EQ(route->base_url, "http://proxy.example");
}

struct OpenFailure {
  const char* name;
  Variables variables;
  std::string model;
  Code code;
  std::string message, hint;
};
class OpenFails : public testing::TestWithParam<OpenFailure> {};
TEST_P(OpenFails, AndSaysWhy) {
  const auto& row = GetParam();
  const auto opened = Models(model_settings(row.variables)).open(row.model);
  ASSERT_FALSE(opened.has_value());
  const base::Diagnostic& first = opened.error().all()[0];
  EXPECT_EQ(base::to_string(first.code), base::to_string(row.code));
  EXPECT_EQ(first.message, row.message);
  if (!row.hint.empty()) {
    EXPECT_EQ(first.hint, row.hint);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Open, OpenFails,
    testing::Values(
        OpenFailure{"no_key",
                    {},
                    "openai/gpt-4o",
                    Code::missing_credential,
                    "`openai/gpt-4o` needs a key, and `OPENAI_API_KEY` is not set",
                    "set OPENAI_API_KEY, or OPENROUTER_API_KEY to reach it through OpenRouter, in "
                    "the environment or in `~/.vibecheck/.env`"},
        OpenFailure{"a_name_of_the_router",
                    {{"ANTHROPIC_API_KEY", "a"}},
                    "anthropic/claude-3.7-sonnet:thinking",
                    Code::unknown_model,
                    "`anthropic/claude-3.7-sonnet:thinking` is an OpenRouter name; "
                    "`anthropic` has no model with that name",
                    "`vibe get models anthropic/` lists its models; or set OPENROUTER_API_KEY and "
                    "write `openrouter/anthropic/claude-3.7-sonnet:thinking`"},
        OpenFailure{"no_router",
                    {},
                    "mistral/large",
                    Code::missing_credential,
                    "`mistral/large` is reached through OpenRouter, which needs a key, and "
                    "`OPENROUTER_API_KEY` is not set",
                    "set OPENROUTER_API_KEY, in the environment or in `~/.vibecheck/.env`, or "
                    "configure an endpoint named `mistral` in `~/.vibecheck/config.yaml`"},
        OpenFailure{"misspelt",
                    {},
                    "opnai/gpt-4o",
                    Code::missing_credential,
                    "`opnai/gpt-4o` is reached through OpenRouter, which needs a key, and "
                    "`OPENROUTER_API_KEY` is not set",
                    "did you mean `openai`? else set OPENROUTER_API_KEY, in the environment or in "
                    "`~/.vibecheck/.env`, or configure an endpoint named `opnai` in "
                    "`~/.vibecheck/config.yaml`"},
        OpenFailure{"endpoint_key",
                    {},
                    "corp/x",
                    Code::missing_credential,
                    "`corp/x` needs a key, and `CORP_KEY` is not set",
                    "set CORP_KEY, in the environment or in `~/.vibecheck/.env`"},
        OpenFailure{
            "endpoint_url",
            {},
            "broken/x",
            Code::bad_config,
            "`base_url` of the endpoint `broken` is `localhost:8000`, which is not an address",
            "start it with `http://` or `https://`"},
        OpenFailure{"url",
                    {{"OPENAI_API_KEY", "a"}, {"OPENAI_BASE_URL", "ftp://x"}},
                    "openai/x",
                    Code::bad_config,
                    "`OPENAI_BASE_URL` is `ftp://x`, which is not an address",
                    ""},
        OpenFailure{"key",
                    {{"OPENAI_API_KEY", "a\r\nb: c"}},
                    "openai/x",
                    Code::bad_config,
                    "`OPENAI_API_KEY` contains characters that are not allowed in a key",
                    ""},
        OpenFailure{"no_provider", kBoth, "gpt-4o", Code::unknown_model,
                    "`gpt-4o` is not a model name", ""},
        OpenFailure{"tag", kBoth, "llama3:8b", Code::unknown_model,
                    "`llama3:8b` is not a model name", ""},
        OpenFailure{"no_name", kBoth, "openai/", Code::unknown_model,
                    "`openai/` is not a model name", ""},
        OpenFailure{"empty", kBoth, "", Code::unknown_model, "`` is not a model name", ""},
        OpenFailure{
            "no_command", {}, "exec: ", Code::unknown_model, "no program after `exec:`", ""},
        OpenFailure{"no_program",
                    {},
                    "exec:no-such-program x",
                    Code::unknown_model,
                    "there is no program `no-such-program`",
                    "vibe searched the folders in `PATH`"},
        OpenFailure{"quote",
                    {},
                    "exec:sh -c \"x",
                    Code::bad_config,
                    "the quote \" in the command is not closed",
                    ""},
        OpenFailure{"no_file", {}, "replay:", Code::unknown_model, "no file after `replay:`", ""},
        OpenFailure{"missing_file",
                    {},
                    "replay:/nonexistent/x",
                    Code::cannot_read,
                    "cannot read `/nonexistent/x`: no such file or directory",
                    ""},
        OpenFailure{
            "no_endpoint", {}, "http:bot", Code::unknown_model, "there is no endpoint `bot`", ""}),
    [](const auto& row) { return row.param.name; });

TEST(Providers, HaveEveryFact) {
  for (const ProviderRow& row : providers()) {
    EXPECT_FALSE(row.name.empty() || row.form.empty() || row.summary.empty());
    EXPECT_NE(row.protocol == nullptr, row.open == nullptr) << row.name;
    EXPECT_EQ(row.protocol != nullptr, base::is_http_url(row.base_url)) << row.name;
  }
}

HttpEndpoint bot() {
  HttpEndpoint endpoint;
  endpoint.name = "bot";
  endpoint.url = "https://${BOT_HOST}/ask";
  endpoint.headers = {{"X-Key", "Token ${BOT_KEY}"}};
  endpoint.body = R"({"q":"{{prompt}}","sys":"{{ system }}","all":{{messages}},"k":"${BOT_KEY}"})";
  endpoint.answer = "/result/text";
  endpoint.prompt_tokens = "/usage/in";
  endpoint.completion_tokens = "/usage/out";
  endpoint.cost = "/usage/cost";
  return endpoint;
}
const Variables kBot{{"BOT_HOST", "bot.example"}, {"BOT_KEY", "{{prompt}}"}};

TEST(HttpEndpoint, FillsItsTemplates) {
  const auto bound = bind_endpoint(bot(), model_settings(kBot));
  ASSERT_TRUE(bound.has_value()) << base::render(bound.error());
  Request request;
  request.system = "s\"";
  request.messages = {{Message::Role::user, "a"},
                      {Message::Role::assistant, "b"},
                      {Message::Role::user, "{{system}} \"c\"\n"}};
  request.timeout = 9;
  const auto got = bound->exchange.encode(request);
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->method, "POST");
  EXPECT_EQ(got->url, "https://bot.example/ask");
  EXPECT_EQ(got->timeout, 9);
  EXPECT_EQ(got->headers,
            (Headers{{"X-Key", "Token {{prompt}}"}, {"content-type", "application/json"}}));
  EXPECT_EQ(got->body,
            R"({"q":"{{system}} \"c\"\n","sys":"s\"","all":[{"role":"system","content":"s\""},)"
            R"({"role":"user","content":"a"},{"role":"assistant","content":"b"},)"
            R"({"role":"user","content":"{{system}} \"c\"\n"}],"k":"{{prompt}}"})");
  EXPECT_EQ(bound->keys, (std::vector<std::string>{"bot.example", "{{prompt}}", "{{prompt}}"}));
}

TEST(HttpEndpoint, FollowsItsPointers) {
  const auto bound = bind_endpoint(bot(), model_settings(kBot));
  ASSERT_TRUE(bound.has_value());
  const auto got = bound->exchange.decode(
      response_of(200, R"({"result":{"text":"hi"},"usage":{"in":5,"out":6,"cost":0.5}})"));
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(got->text, "hi");
  EXPECT_EQ(got->usage.prompt, 5);
  EXPECT_EQ(got->usage.completion, 6);
  EXPECT_EQ(got->cost.total, 0.5);
  const auto bare =
      bound->exchange.decode(response_of(200, R"({"result":{"text":[1,{"a":null}]},"usage":7})"));
  ASSERT_TRUE(bare.has_value());
  EXPECT_EQ(bare->text, R"([1,{"a":null}])");
  EXPECT_EQ(bare->usage.prompt, std::nullopt);
  EXPECT_EQ(bare->cost.total, std::nullopt);
  for (const char* body : {R"({"result":"x"})", R"({"result":{"text":null}})"}) {
    const auto nothing = bound->exchange.decode(response_of(200, body));
    ASSERT_FALSE(nothing.has_value());
    EXPECT_EQ(nothing.error().kind, Failure::Kind::malformed);
    EXPECT_EQ(nothing.error().message,
              std::string("nothing at `/result/text` in the response: `") + body + "`");
  }
}

TEST(HttpEndpoint, TakesTextAsItIs) {
  HttpEndpoint endpoint = bot();
  endpoint.answer = "";
  const auto bound = bind_endpoint(endpoint, model_settings(kBot));
  ASSERT_TRUE(bound.has_value());
  EXPECT_EQ(bound->exchange.decode(response_of(200, "hi \xff")).value().text, "hi \xff");
  const auto both = bound->exchange.decode(response_of(200, R"({"usage":{"cost":2}})"));
  EXPECT_EQ(both.value().text, R"({"usage":{"cost":2}})");
  EXPECT_EQ(both.value().cost.total, 2);
}

struct BadEndpoint {
  const char* name;
  void (*change)(HttpEndpoint&);
  Code code;
  std::string message;
};
class BadEndpoints : public testing::TestWithParam<BadEndpoint> {};
TEST_P(BadEndpoints, AreReported) {
  HttpEndpoint endpoint = bot();
  GetParam().change(endpoint);
  const auto bound = bind_endpoint(endpoint, model_settings(kBot));
  ASSERT_FALSE(bound.has_value());
  EXPECT_EQ(bound.error().all()[0].code, GetParam().code);
  EXPECT_EQ(bound.error().all()[0].message, GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(
    HttpEndpoint, BadEndpoints,
    testing::Values(
        BadEndpoint{"variable", [](HttpEndpoint& e) { e.headers[0].second = "${NOPE}"; },
                    Code::missing_credential,
                    "the endpoint `http:bot` uses `NOPE`, which is not set"},
        BadEndpoint{"malformed", [](HttpEndpoint& e) { e.headers[0].second = "${NO PE}"; },
                    Code::bad_config,
                    "the endpoint `http:bot`: `${NO PE}` in `headers` is malformed"},
        BadEndpoint{"open", [](HttpEndpoint& e) { e.body = "{{prompt}} ${X"; }, Code::bad_config,
                    "the endpoint `http:bot`: `${X` in `body` is malformed"},
        BadEndpoint{"template", [](HttpEndpoint& e) { e.body = "{{promt}}"; }, Code::bad_config,
                    "the endpoint `http:bot`: unknown placeholder `{{promt}}` in `body`"},
        BadEndpoint{"no_prompt", [](HttpEndpoint& e) { e.body = "{}"; }, Code::bad_config,
                    "the endpoint `http:bot`: `body` has no placeholder for the prompt"},
        BadEndpoint{"url", [](HttpEndpoint& e) { e.url = "bot.example"; }, Code::bad_config,
                    "the endpoint `http:bot`: `url` does not begin with `http://` or `https://`"},
        BadEndpoint{"method", [](HttpEndpoint& e) { e.method = "PO ST"; }, Code::bad_config,
                    "the endpoint `http:bot`: `method` is `PO ST`, which is not an HTTP method"},
        BadEndpoint{"header", [](HttpEndpoint& e) { e.headers[0].first = "a:b"; }, Code::bad_config,
                    "the endpoint `http:bot`: `a:b` is not a header name"},
        BadEndpoint{"break", [](HttpEndpoint& e) { e.headers[0].second = "a\r\nb: c"; },
                    Code::bad_config,
                    "the endpoint `http:bot`: the header `X-Key` contains a control character"},
        BadEndpoint{
            "pointer", [](HttpEndpoint& e) { e.answer = "result.text"; }, Code::bad_config,
            "the endpoint `http:bot`: `answer` is `result.text`, which is not a JSON pointer"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace vibe::model
