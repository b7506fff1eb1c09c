// Estimates tokens and cost of prepared runs.
#include "app/runs/estimate.h"

#include <gtest/gtest.h>

#include "app/world.h"
#include "run/run.h"

namespace vibe::app {
namespace {

struct Estimating : Machine {
  std::vector<Estimate> all(const RunRequest& request) {
    auto dry = request;
    dry.dry_run = true;
    const auto prepared = prepare(dry);
    EXPECT_TRUE(prepared) << base::render(out);
    if (!prepared) return {};
    auto found = estimate(*prepared, local.runs());
    EXPECT_TRUE(found);
    return found ? *std::move(found) : std::vector<Estimate>();
  }
  Estimate one(const std::string& suite) { return all(request_for(write("s.yaml", suite))).at(0); }
};

TEST(Estimates, AssumeTheLengthOfAnswers) {
  Estimating world;
  const auto found = world.one(suite_of(2, "  repeat: 3\n"));
  EXPECT_EQ(found.model, "openai/gpt-4o-mini");
  EXPECT_EQ(found.samples, 6u);
  EXPECT_GT(found.prompt_tokens, 0);
  EXPECT_EQ(found.prompt_tokens % 6, 0);
  EXPECT_EQ(found.output_tokens_each, run::kAssumedOutputTokens);
  EXPECT_EQ(found.completion_tokens, 6 * run::kAssumedOutputTokens);
  const auto cost =
      price::cost(*world.local.config.models.prices.find("openai/gpt-4o-mini"),
                  {.prompt = found.prompt_tokens, .completion = found.completion_tokens});
  ASSERT_TRUE(found.cost);
  EXPECT_DOUBLE_EQ(*found.cost, cost.input + cost.output);
  EXPECT_TRUE(found.judges.empty());
  EXPECT_TRUE(world.wire.asked().empty());
}

TEST(Estimates, GoByTheLimitOfTheSuite) {
  Estimating world;
  const auto assumed = world.one(suite_of(1)).assumption;
  const auto found = world.one(suite_of(1, "  max_output_tokens: 17\n"));
  EXPECT_EQ(found.output_tokens_each, 17);
  EXPECT_NE(found.assumption, assumed);
}

TEST(Estimates, GoByTheLastRunThatWasCompleted) {
  Estimating world;
  const auto suite = suite_of(2, "  max_output_tokens: 17\n", "replay:answers.jsonl");
  std::string recording = "{\"vibecheck_recording\": 1, \"model\": \"openai/gpt-4o-mini\"}\n";
  for (const char* prompt : {"question 1", "question 2"})
    recording +=
        "{\"prompt\": \"" + std::string(prompt) +
        "\", \"answer\": {\"text\": \"4\", \"usage\": {\"prompt\": 9, \"completion\": 70}}}\n";
  world.write("answers.jsonl", recording);
  world.run(world.write("s.yaml", suite));
  EXPECT_EQ(world.one(suite).output_tokens_each, 70);
  // The last run says nothing about another model.
  auto other = request_for(world.path("s.yaml"));
  other.models = {"openai/gpt-4o"};
  EXPECT_EQ(world.all(other).at(0).output_tokens_each, 17);
  // A failed run says nothing.
  Estimating failing;
  failing.wire.set_status([](const std::string&) { return 400; });
  failing.run(failing.write("s.yaml", suite_of(1)));
  EXPECT_EQ(failing.one(suite_of(1)).output_tokens_each, run::kAssumedOutputTokens);
}

TEST(Estimates, AnUnknownPriceIsNoCost) {
  Estimating world;
  EXPECT_EQ(world.one(suite_of(1, "", "openai/nobody-knows-it")).cost, std::nullopt);
  EXPECT_EQ(world.one(suite_of(1, "", "ollama/llama")).cost, 0);
  world.write("answers.jsonl", recording_of(1));
  EXPECT_EQ(world.one(suite_of(1, "", "replay:answers.jsonl")).cost, 0);
}

TEST(Estimates, AreForWhatIsLeftOfAnEarlierRun) {
  Estimating world;
  world.wire.set_status([](const std::string& body) {
    return body.find("question 2") == std::string::npos ? 200 : 400;
  });
  RunRequest request;
  request.earlier = world.run(world.write("s.yaml", suite_of(3))).run.id;
  request.how = Continue::failed;
  EXPECT_EQ(world.all(request).at(0).samples, 1u);
}

TEST(Estimates, EachModelHasItsOwn) {
  Estimating world;
  auto request = request_for(world.write("s.yaml", suite_of(1)));
  request.models = {"openai/gpt-4o-mini", "openai/gpt-4o"};
  const auto found = world.all(request);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].prompt_tokens, found[1].prompt_tokens);
  EXPECT_LT(found[0].cost, found[1].cost);
}

// ---- judges

std::string with_judge(std::string_view judge) {
  return "metadata: {name: s, model: openai/gpt-4o-mini, repeat: 2}\n"
         "evals:\n"
         "  - {prompt: p, checks: [llm_judge: {criteria: c, repeat: 3, model: '" +
         std::string(judge) + "'}]}\n  - {prompt: q, checks: [match: a]}\n";
}

TEST(Estimates, JudgesAreAskedForEachSampleOfTheirEvals) {
  Estimating world;
  const auto found = world.one(with_judge("openai/gpt-4o"));
  EXPECT_EQ(found.samples, 4u);
  ASSERT_EQ(found.judges.size(), 1u);
  EXPECT_EQ(found.judges[0].model, "openai/gpt-4o");
  EXPECT_EQ(found.judges[0].requests, 2 * 3);
  EXPECT_GT(found.judges[0].cost, 0);
}

TEST(Estimates, TheCostOfAJudgeMayNotBeKnown) {
  Estimating world;
  EXPECT_EQ(world.one(with_judge("openai/nobody-knows-it")).judges.at(0).cost, std::nullopt);
  EXPECT_EQ(world.one(with_judge("ollama/llama")).judges.at(0).cost, 0);
}

}  // namespace
}  // namespace vibe::app
