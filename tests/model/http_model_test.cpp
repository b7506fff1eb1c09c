#include <gtest/gtest.h>

#include "model/fake_client.h"
#include "model/open.h"

namespace vibe::model {
namespace {

constexpr const char* kAnswer = R"({"choices":[{"message":{"content":"Paris"}}],
"usage":{"prompt_tokens":1000000,"completion_tokens":500000}})";

class HttpModels : public testing::Test {
 protected:
  HttpModels() {
    settings.variable = [](std::string_view name) -> std::optional<std::string> {
      if (name == "OPENAI_API_KEY") return "sk-secret";
      if (name == "OPENROUTER_API_KEY") return "or-secret";
      return std::nullopt;
    };
    price::ModelRow row;
    row.id = "openai/m";
    row.price.input = 2;
    row.price.output = 8;
    settings.prices = price::PriceTable({row});
    settings.make_client = [this](const HttpOptions&) -> base::Result<std::unique_ptr<HttpClient>> {
      return std::make_unique<FakeClient>(wire);
    };
    wire.answer = [](const HttpRequest&) { return response_of(200, kAnswer, 2); };
    request.messages = {{Message::Role::user, "What is the capital of France?"}};
  }

  Opened open(const std::string& name) {
    auto opened = Models(settings).open(name);
    EXPECT_TRUE(opened.has_value()) << base::render(opened.error());
    return *std::move(opened);
  }

  Outcome ask(const std::string& name) {
    const Opened opened = open(name);
    std::optional<Outcome> got;
    opened.model->ask(request, [&](Outcome outcome) { got = std::move(outcome); });
    EXPECT_TRUE(got.has_value());
    return *std::move(got);
  }

  FakeWire wire;
  Settings settings;
  Request request;
};

TEST_F(HttpModels, SendAndRead) {
  const Outcome got = ask("openai/m");
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(got->text, "Paris");
  EXPECT_EQ(got->latency, 0.25);
  EXPECT_EQ(got->tries, 2);
  EXPECT_EQ(got->cost.input, 2.0);
  EXPECT_EQ(got->cost.output, 4.0);
  EXPECT_EQ(got->cost.total, 6.0);
  ASSERT_EQ(wire.sent.size(), 1u);
  EXPECT_EQ(wire.sent[0].url, "https://api.openai.com/v1/chat/completions");
}

TEST_F(HttpModels, KnowNoCostWithoutAPriceOrTokens) {
  const Outcome unpriced = ask("openai/a-model-nobody-sells");
  ASSERT_TRUE(unpriced.has_value());
  EXPECT_EQ(unpriced->cost.total, std::nullopt);
  wire.answer = [](const HttpRequest&) {
    return response_of(200,
                       R"({"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":9}})");
  };
  const Outcome uncounted = ask("openai/m");
  ASSERT_TRUE(uncounted.has_value());
  EXPECT_EQ(uncounted->cost.total, std::nullopt);
}

TEST_F(HttpModels, TakeTheCostThatIsStated) {
  wire.answer = [](const HttpRequest&) {
    return response_of(200, R"({"choices":[{"message":{"content":"x"}}],
"usage":{"prompt_tokens":9,"completion_tokens":9,"cost":0.5}})");
  };
  const Outcome got = ask("openai/m");
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->cost.total, 0.5);
  EXPECT_EQ(got->cost.input, std::nullopt);
}

TEST_F(HttpModels, OfOllamaAreFree) {
  wire.answer = [](const HttpRequest&) {
    return response_of(200, R"({"message":{"content":"x"}})");
  };
  EXPECT_TRUE(open("ollama/llama3:8b").is_free);
  const Outcome got = ask("ollama/llama3:8b");
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->cost.total, 0.0);
}

TEST_F(HttpModels, NeverShowTheKey) {
  wire.answer = [](const HttpRequest& sent) {
    return response_of(403, "you sent " + sent.headers[0].second);
  };
  EXPECT_EQ(open("openai/m").keys, (std::vector<std::string>{"sk-secret"}));
  const Outcome got = ask("openai/m");
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().message, "HTTP 403: you sent Bearer [key]");
}

TEST_F(HttpModels, SayWhatCannotBeSent) {
  settings.variable = [](std::string_view name) {
    return name.ends_with("_KEY") ? std::optional<std::string>("k") : std::nullopt;
  };
  request.parameters.temperature = 2;
  const Outcome got = ask("anthropic/m");
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().kind, Failure::Kind::refused);
  EXPECT_TRUE(wire.sent.empty());
}

TEST_F(HttpModels, AreCancelled) {
  wire.answer = nullptr;
  const Opened opened = open("openai/m");
  std::vector<Outcome> got;
  for (int i = 0; i < 3; ++i)
    opened.model->ask(request, [&](Outcome outcome) { got.push_back(std::move(outcome)); });
  EXPECT_TRUE(got.empty());
  opened.model->cancel();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].error().kind, Failure::Kind::cancelled);
}

TEST_F(HttpModels, EndWhatIsInFlightWhenTheyEnd) {
  wire.answer = nullptr;
  std::optional<Outcome> got;
  {
    const Opened opened = open("openai/m");
    opened.model->ask(request, [&](Outcome outcome) { got = std::move(outcome); });
  }
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->error().kind, Failure::Kind::cancelled);
}

TEST_F(HttpModels, ReportAClientThatCannotBeMade) {
  settings.make_client = [](const HttpOptions&) -> base::Result<std::unique_ptr<HttpClient>> {
    return base::fail(base::Code::no_client, {}, "no libcurl");
  };
  const auto opened = Models(settings).open("openai/m");
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().all()[0].code, base::Code::no_client);
}

}  // namespace
}  // namespace vibe::model
