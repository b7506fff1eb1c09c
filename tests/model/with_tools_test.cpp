#include <deque>
#include <thread>

#include <gtest/gtest.h>

#include "model/tool_server.h"

namespace vibe::model {
namespace {

// Answers as prepared, from its own thread where `threads` is set; waits when nothing is left.
class PreparedModel final : public Model {
 public:
  struct Wire {
    std::deque<Outcome> outcomes{};
    std::vector<Request> asked{};
    std::vector<Done> waiting{};
    bool repeats = false;  // the last outcome
  };
  explicit PreparedModel(Wire& wire) : wire_(wire) {}
  PreparedModel(const PreparedModel&) = delete;
  PreparedModel& operator=(const PreparedModel&) = delete;
  ~PreparedModel() override { PreparedModel::cancel(); }

  void ask(const Request& request, Done done) override {
    wire_.asked.push_back(request);
    if (wire_.outcomes.empty()) {
      wire_.waiting.push_back(std::move(done));
      return;
    }
    const Outcome outcome = wire_.outcomes.front();
    if (!wire_.repeats) wire_.outcomes.pop_front();
    done(outcome);
  }
  void cancel() override {
    for (const Done& done : std::exchange(wire_.waiting, {}))
      done(tl::unexpected(Failure{Failure::Kind::cancelled, "cancelled"}));
  }

 private:
  Wire& wire_;
};

class PreparedServer final : public ToolServer {
 public:
  using Result = tl::expected<ToolResult, Failure>;
  const std::vector<Tool>& tools() const override { return tools_; }
  void call(const std::string& name, const std::string& arguments, Called done) override {
    calls.push_back(name + arguments);
    if (answer)
      done(answer(name, arguments));
    else
      waiting.push_back(std::move(done));
  }
  void cancel() override { ++cancelled; }

  std::function<Result(const std::string&, const std::string&)> answer =
      [](const std::string& name, const std::string& arguments) -> Result {
    return ToolResult{name + " of " + arguments, name == "bad"};
  };
  std::vector<std::string> calls{};
  std::vector<Called> waiting{};
  int cancelled = 0;

 private:
  std::vector<Tool> tools_{{"add", "Adds", R"({"type":"object"})"}};
};

Answer answer_of(std::string text, std::vector<ToolCall> calls = {}) {
  Answer out;
  out.text = std::move(text);
  out.tool_calls = std::move(calls);
  out.usage = {.prompt = 10, .completion = 5};
  out.cost = {.input = 0.25, .output = 0.5, .total = 0.75};
  out.latency = 0.5;
  out.tries = 2;
  out.stop_reason = out.tool_calls.empty() ? "stop" : "tool_calls";
  return out;
}

class WithTools : public testing::Test {
 protected:
  WithTools() { request.messages = {{Message::Role::user, "1 + 2?"}}; }

  std::unique_ptr<Model> make() {
    return with_tools(std::make_unique<PreparedModel>(wire), server);
  }
  Outcome ask() {
    const auto model = make();
    std::optional<Outcome> got;
    model->ask(request, [&](Outcome outcome) {
      EXPECT_FALSE(got.has_value()) << "done twice";
      got = std::move(outcome);
    });
    EXPECT_TRUE(got.has_value());
    return got.value_or(tl::unexpected(Failure()));
  }

  PreparedModel::Wire wire;
  std::shared_ptr<PreparedServer> server = std::make_shared<PreparedServer>();
  Request request;
};

TEST_F(WithTools, AnAnswerWithoutCallsIsAsItWas) {
  wire.outcomes = {answer_of("3")};
  const Outcome got = ask();
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->text, "3");
  EXPECT_EQ(got->usage.prompt, 10);
  EXPECT_EQ(got->usage.thinking, std::nullopt);
  EXPECT_EQ(got->tries, 2);
  EXPECT_TRUE(got->steps.empty());
  ASSERT_EQ(wire.asked.size(), 1u);
  ASSERT_EQ(wire.asked[0].tools.size(), 1u);
  EXPECT_EQ(wire.asked[0].tools[0].name, "add");
}

TEST_F(WithTools, CallsAreCarriedOutAndAddUp) {
  wire.outcomes = {answer_of("let me see", {{"a", "add", "{1}"}, {"", "bad", "{2}"}}),
                   answer_of("", {{"c", "add", "{3}"}}), answer_of("3")};
  const Outcome got = ask();
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(got->text, "3");
  EXPECT_EQ(got->stop_reason, "stop");
  EXPECT_EQ(got->usage.prompt, 30);
  EXPECT_EQ(got->usage.completion, 15);
  EXPECT_EQ(got->usage.cached, std::nullopt);
  EXPECT_EQ(got->cost.input, 0.75);
  EXPECT_EQ(got->cost.total, 2.25);
  EXPECT_EQ(got->latency, 1.5);
  EXPECT_EQ(got->tries, 6);

  ASSERT_EQ(got->tool_calls.size(), 3u);
  EXPECT_EQ(got->tool_calls[0].result, "add of {1}");
  EXPECT_FALSE(got->tool_calls[0].failed);
  EXPECT_EQ(got->tool_calls[1].result, "bad of {2}");
  EXPECT_TRUE(got->tool_calls[1].failed);
  EXPECT_EQ(got->tool_calls[1].id, "call_1_2");
  EXPECT_EQ(got->tool_calls[2].arguments, "{3}");

  ASSERT_EQ(got->steps.size(), 5u);
  EXPECT_EQ(got->steps[0].role, Message::Role::assistant);
  EXPECT_EQ(got->steps[0].text, "let me see");
  ASSERT_EQ(got->steps[0].tool_calls.size(), 2u);
  EXPECT_EQ(got->steps[0].tool_calls[0].result, std::nullopt);
  EXPECT_EQ(got->steps[1].role, Message::Role::tool);
  EXPECT_EQ(got->steps[1].call_id, "a");
  EXPECT_EQ(got->steps[1].text, "add of {1}");
  EXPECT_EQ(got->steps[2].call_id, "call_1_2");
  EXPECT_TRUE(got->steps[2].failed);
  EXPECT_EQ(got->steps[3].role, Message::Role::assistant);
  EXPECT_EQ(got->steps[4].text, "add of {3}");

  ASSERT_EQ(wire.asked.size(), 3u);
  EXPECT_EQ(wire.asked[1].messages.size(), 4u);
  EXPECT_EQ(wire.asked[2].messages.size(), 6u);
  EXPECT_EQ(wire.asked[2].messages[0].text, "1 + 2?");
  EXPECT_EQ(wire.asked[2].tools.size(), 1u);
}

TEST_F(WithTools, AFigureThatOneAnswerLacksIsUnknown) {
  Answer second = answer_of("3");
  second.usage.completion.reset();
  second.cost = {.input = {}, .output = {}, .total = 1};
  wire.outcomes = {answer_of("", {{"a", "add", "{}"}}), second};
  const Outcome got = ask();
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->usage.prompt, 20);
  EXPECT_EQ(got->usage.completion, std::nullopt);
  EXPECT_EQ(got->cost.input, std::nullopt);
  EXPECT_EQ(got->cost.total, 1.75);
}

TEST_F(WithTools, ResultsKeepTheirOrder) {
  server->answer = nullptr;
  wire.outcomes = {answer_of("", {{"a", "add", "1"}, {"b", "add", "2"}}), answer_of("3")};
  const auto model = make();
  std::optional<Outcome> got;
  model->ask(request, [&](Outcome outcome) { got = std::move(outcome); });
  ASSERT_EQ(server->waiting.size(), 2u);  // at the same time
  server->waiting[1](ToolResult{"second"});
  EXPECT_FALSE(got.has_value());
  server->waiting[0](ToolResult{"first"});
  ASSERT_TRUE(got.has_value() && got->has_value());
  EXPECT_EQ((*got)->tool_calls[0].result, "first");
  EXPECT_EQ((*got)->tool_calls[1].result, "second");
}

TEST_F(WithTools, CallsDoNotGoOnForEver) {
  wire.outcomes = {answer_of("", {{"a", "add", "{}"}})};
  wire.repeats = true;
  const Outcome got = ask();
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().kind, Failure::Kind::malformed);
  EXPECT_EQ(got.error().message, "called tools 25 times without an answer");
  EXPECT_EQ(got.error().tries, 52);
  EXPECT_EQ(server->calls.size(), 25u);
}

TEST_F(WithTools, CallsAreNotTooManyAtOnce) {
  wire.outcomes = {answer_of("", std::vector<ToolCall>(129, {"a", "add", "{}"}))};
  const Outcome got = ask();
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().message, "called 129 tools at once; the limit is 128");
  EXPECT_TRUE(server->calls.empty());
}

TEST_F(WithTools, AFailureOfTheModelIsTheOutcome) {
  wire.outcomes = {answer_of("", {{"a", "add", "{}"}}),
                   tl::unexpected(Failure{Failure::Kind::refused, "no", 5})};
  const Outcome got = ask();
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().message, "no");
  EXPECT_EQ(got.error().tries, 7);
}

TEST_F(WithTools, AServerThatIsGoneIsTheOutcome) {
  server->answer = [](const std::string&, const std::string&) -> PreparedServer::Result {
    return tl::unexpected(Failure{Failure::Kind::unreachable, "gone", 5});
  };
  wire.outcomes = {answer_of("", {{"a", "add", "{}"}, {"b", "add", "{}"}})};
  const Outcome got = ask();
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().kind, Failure::Kind::unreachable);
  EXPECT_EQ(got.error().message, "gone");
  EXPECT_EQ(got.error().tries, 2);  // of the model
}

TEST_F(WithTools, CallsWithResultsAreLeftAlone) {
  Answer recorded = answer_of("3", {{"a", "add", "{}", "three"}});
  recorded.steps = {{Message::Role::assistant, "hm"}};
  wire.outcomes = {recorded};
  const Outcome got = ask();
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->tool_calls[0].result, "three");
  EXPECT_EQ(got->steps.size(), 1u);
  EXPECT_TRUE(server->calls.empty());
}

TEST_F(WithTools, IsCancelledWhileTheModelThinks) {
  const auto model = make();
  std::vector<Outcome> got;
  for (int i = 0; i < 3; ++i)
    model->ask(request, [&](Outcome outcome) { got.push_back(std::move(outcome)); });
  model->cancel();
  ASSERT_EQ(got.size(), 3u);
  for (const Outcome& one : got) EXPECT_EQ(one.error().kind, Failure::Kind::cancelled);
}

TEST_F(WithTools, IsCancelledWhileAToolWorks) {
  server->answer = nullptr;
  wire.outcomes = {answer_of("", {{"a", "add", "{}"}})};
  std::vector<Outcome> got;
  {
    const auto model = make();
    model->ask(request, [&](Outcome outcome) { got.push_back(std::move(outcome)); });
    EXPECT_TRUE(got.empty());
    model->cancel();
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got[0].error().kind, Failure::Kind::cancelled);
    EXPECT_EQ(got[0].error().tries, 2);
  }
  EXPECT_EQ(server->cancelled, 0);  // it serves others, too
  server->waiting[0](ToolResult{"late"});
  EXPECT_EQ(got.size(), 1u);
  EXPECT_EQ(wire.asked.size(), 1u);
}

TEST_F(WithTools, EndsWhatIsInFlightWhenItEnds) {
  server->answer = nullptr;
  wire.outcomes = {answer_of("", {{"a", "add", "{}"}})};
  std::vector<Outcome> got;
  {
    const auto model = make();
    model->ask(request, [&](Outcome outcome) { got.push_back(std::move(outcome)); });
    model->ask(request, [&](Outcome outcome) { got.push_back(std::move(outcome)); });
  }
  EXPECT_EQ(got.size(), 2u);
  server->waiting[0](ToolResult{"late"});
  EXPECT_EQ(got.size(), 2u);
}

// Tools answer on other threads while the model is cancelled: each `done` comes once.
TEST_F(WithTools, IsCancelledAtAnyMoment) {
  class Threaded final : public ToolServer {
   public:
    ~Threaded() override {
      for (std::thread& thread : threads_) thread.join();
    }
    const std::vector<Tool>& tools() const override { return tools_; }
    void call(const std::string&, const std::string&, Called done) override {
      const std::lock_guard lock(mutex_);
      threads_.emplace_back([done = std::move(done)] { done(ToolResult{"x"}); });
    }
    void cancel() override {}

   private:
    std::vector<Tool> tools_{};
    std::mutex mutex_{};
    std::vector<std::thread> threads_{};
  };
  class Calling final : public Model {
   public:
    void ask(const Request&, Done done) override { done(answer_of("", {{"a", "add", "{}"}})); }
    void cancel() override {}
  };
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> done = 0;
    {
      const auto model = with_tools(std::make_unique<Calling>(), std::make_shared<Threaded>());
      for (int i = 0; i < 4; ++i) model->ask(request, [&](const Outcome&) { ++done; });
      model->cancel();
    }
    EXPECT_EQ(done, 4);
  }
}

}  // namespace
}  // namespace vibe::model
