// The whole loop on the bytes: providers (tests/model_server/) call the tools of a real server.
#include <future>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/open.h"
#include "model/recording.h"
#include "model/server.h"
#include "model/tool_server.h"

namespace vibe::model {
namespace {

class ToolLoop : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    node_ = new test::Listener(
        {"/usr/bin/env", "node", VIBE_SOURCE_DIR "/tests/model/tool_server.mjs"});
    models_ = new test::ModelServer();
  }
  static void TearDownTestSuite() {
    delete node_;
    delete models_;
  }

  static Opened open(const std::string& name) {
    Settings settings;
    settings.variable = [](std::string_view variable) -> std::optional<std::string> {
      if (variable == "OPENAI_BASE_URL") return models_->url("/v1");
      if (variable == "OPENROUTER_BASE_URL") return models_->url("/api/v1");
      if (variable == "ANTHROPIC_BASE_URL" || variable == "OLLAMA_HOST") return models_->url();
      return variable.ends_with("_KEY") ? std::optional<std::string>("sk-key") : std::nullopt;
    };
    settings.client.retry_scale = 0.01;
    auto opened = Models(settings).open(name);
    EXPECT_TRUE(opened.has_value()) << base::render(opened.error());
    return *std::move(opened);
  }

  static std::shared_ptr<ToolServer> tools() {
    ToolServerSettings settings;
    settings.url = fmt::format("http://127.0.0.1:{}/stateful-events", node_->port());
    auto server = ToolServer::open(settings);
    EXPECT_TRUE(server.has_value()) << base::render(server.error());
    return *std::move(server);
  }

  static Outcome ask(Model& model, const std::string& prompt) {
    Request request;
    request.messages = {{Message::Role::user, prompt}};
    std::promise<Outcome> asked;
    model.ask(request, [&](Outcome outcome) { asked.set_value(std::move(outcome)); });
    return asked.get_future().get();
  }

  static test::Listener* node_;
  static test::ModelServer* models_;
};
test::Listener* ToolLoop::node_ = nullptr;
test::ModelServer* ToolLoop::models_ = nullptr;

TEST_P(ToolLoop, Closes) {
  Opened opened = open(GetParam());
  ASSERT_TRUE(check_takes_tools(opened).has_value());
  const auto model = with_tools(std::move(opened.model), tools());

  const Outcome got =
      ask(*model, R"(say "done" rounds=2 call=add{"a":1,"b":2} call=fail call=gone call=mixed)");
  ASSERT_TRUE(got.has_value()) << got.error().message;
  const std::string round =
      "\n[3]\n[error: the disk is full]\n[error: there is no tool `gone`]\n[a picture:\n"
      "[image: image/png, 1234 bytes]\n[resource: file:///a.txt]\n[resource: file:///b.txt]\nbeta\n"
      "[resource: file:///c.bin: a/b, 3 bytes]]";
  EXPECT_EQ(got->text, "done" + round + round);
  ASSERT_EQ(got->tool_calls.size(), 8u);
  EXPECT_EQ(got->tool_calls[4].name, "add");
  EXPECT_EQ(got->tool_calls[4].result, "3");
  EXPECT_TRUE(got->tool_calls[5].failed);
  EXPECT_EQ(got->steps.size(), 10u);
  EXPECT_EQ(got->tries, 3);
  EXPECT_TRUE(got->usage.prompt.has_value());

  const Outcome plain = ask(*model, "What is 15 * 7?");
  ASSERT_TRUE(plain.has_value()) << plain.error().message;
  EXPECT_EQ(plain->text, "15 * 7 is 105.");

  const Outcome endless = ask(*model, "rounds=100 call=nothing");
  ASSERT_FALSE(endless.has_value());
  EXPECT_EQ(endless.error().message, "called tools 25 times without an answer");
}
INSTANTIATE_TEST_SUITE_P(Providers, ToolLoop,
                         testing::Values("openai/m", "other/m", "anthropic/m", "ollama/m"),
                         [](const auto& row) {
                           const std::string_view name = row.param;
                           return std::string(name.substr(0, name.find('/')));
                         });

using ToolLoopOf = ToolLoop;
TEST_F(ToolLoopOf, ManyAtATime) {
  const auto model = with_tools(open("openai/m").model, tools());
  constexpr int kTalks = 40;
  std::vector<std::promise<Outcome>> asked(kTalks);
  for (int i = 0; i < kTalks; ++i) {
    Request request;
    request.messages = {
        {Message::Role::user, fmt::format(R"(say "x" rounds=3 call=add{{"a":{},"b":0}})", i)}};
    model->ask(request, [&, i](Outcome outcome) {
      asked[static_cast<std::size_t>(i)].set_value(std::move(outcome));
    });
  }
  for (int i = 0; i < kTalks; ++i) {
    const Outcome got = asked[static_cast<std::size_t>(i)].get_future().get();
    ASSERT_TRUE(got.has_value()) << got.error().message;
    EXPECT_EQ(got->text, fmt::format("x\n[{0}]\n[{0}]\n[{0}]", i));
  }
}

TEST_F(ToolLoopOf, IsCancelledWhileAToolWorks) {
  const auto server = tools();
  auto model = with_tools(open("openai/m").model, server);
  std::promise<Outcome> asked;
  Request request;
  request.messages = {{Message::Role::user, R"(call=slow{"ms":60000})"}};
  model->ask(request, [&](Outcome outcome) { asked.set_value(std::move(outcome)); });
  while (models_->count("/requests") < 1) std::this_thread::yield();
  model.reset();
  const Outcome got = asked.get_future().get();
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().kind, Failure::Kind::cancelled);
}

TEST(TakesTools, IsOfTheProvider) {
  Settings settings;
  HttpEndpoint& bot = settings.http.emplace_back();
  bot.name = "bot";
  bot.url = "http://localhost/";
  bot.body = "{{prompt}}";
  for (const std::string name : {"exec:cat", "http:bot"}) {
    const auto opened = Models(settings).open(name);
    ASSERT_TRUE(opened.has_value()) << base::render(opened.error());
    const auto taken = check_takes_tools(*opened);
    ASSERT_FALSE(taken.has_value());
    EXPECT_EQ(taken.error().all()[0].code, base::Code::no_tools);
    EXPECT_EQ(taken.error().all()[0].message,
              fmt::format("`{}` cannot use tools: it answers with text, never with calls", name));
    EXPECT_EQ(taken.error().all()[0].hint,
              "models that can use tools are `openai/NAME`, `anthropic/NAME`, `ollama/NAME`, "
              "`PROVIDER/NAME`, `replay:FILE`, and all under `endpoints`");
  }
}

}  // namespace
}  // namespace vibe::model
