// Opens judges and embedders, looks for programs, and checks permissions.
#include "app/runs/judges.h"

#include <gtest/gtest.h>

#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

std::string suite_with(std::string_view checks, std::string_view metadata = {}) {
  return "metadata: {name: s, model: openai/gpt-4o-mini" + std::string(metadata) +
         "}\nevals:\n  - {prompt: p, checks: [" + std::string(checks) + "]}\n";
}

// Opens the judges of a suite as a run does.
struct Judging : Machine {
  base::SourcePtr source;
  std::shared_ptr<const suite::Suite> suite;
  std::optional<run::Plan> plan;

  explicit Judging(const std::string& text) : source(base::make_source("suite.yaml", text)) {
    auto validated = validate(source);
    EXPECT_TRUE(validated.suite) << base::render(validated.diagnostics);
    suite = std::make_shared<const suite::Suite>(*std::move(validated.suite));
    plan = run::Plan::make(suite, {}, {}, out);
    EXPECT_TRUE(plan) << base::render(out);
  }
  std::optional<Judges> open(std::shared_ptr<const model::Recording> recording = nullptr) {
    const model::Models models(local.config.models);
    return open_judges(*plan, models, local, recording, source, out);
  }
  std::vector<std::string> names(const std::optional<Judges>& judges) const {
    std::vector<std::string> out_names;
    for (const auto& [name, judge] : judges->models) out_names.push_back(name + "=" + judge.name);
    return out_names;
  }
};

using Names = std::vector<std::string>;

TEST(OpenJudges, NothingIsOpenedThatNoCheckNeeds) {
  Judging world(suite_with("match: a", ", judge_model: anthropic/none"));
  const auto judges = world.open();
  ASSERT_TRUE(judges) << base::render(world.out);
  EXPECT_TRUE(judges->models.empty());
  EXPECT_FALSE(judges->embedder);
}

TEST(OpenJudges, TheCheckComesBeforeTheSuiteAndTheUser) {
  const std::string checks =
      "{llm_judge: {criteria: c}}, {llm_judge: {criteria: d, model: openai/o3}}";
  Judging of_user(suite_with(checks));
  of_user.local.config.judge_model = "openai/gpt-4.1";
  EXPECT_EQ(of_user.names(of_user.open()), (Names{"=openai/gpt-4.1", "openai/o3=openai/o3"}));
  Judging of_suite(suite_with(checks, ", judge_model: openai/gpt-4o"));
  of_suite.local.config.judge_model = "openai/gpt-4.1";
  EXPECT_EQ(of_suite.names(of_suite.open()), (Names{"=openai/gpt-4o", "openai/o3=openai/o3"}));
}

TEST(OpenJudges, ThoseInsideOfAlternativesAreFound) {
  Judging world(suite_with("or: [{match: a}, {llm_judge: {criteria: c, model: openai/o3}}]"));
  EXPECT_EQ(world.names(world.open()), Names{"openai/o3=openai/o3"});
}

TEST(OpenJudges, ATemplateIsFilledForEveryCase) {
  Judging world(
      "metadata: {name: s, model: openai/gpt-4o-mini}\n"
      "evals:\n  - prompt: p\n    repeat: 2\n    cases: [{who: o3}, {who: gpt-4o}]\n"
      "    checks: [{llm_judge: {criteria: c, model: 'openai/{{who}}'}}]\n");
  EXPECT_EQ(world.names(world.open()),
            (Names{"openai/gpt-4o=openai/gpt-4o", "openai/o3=openai/o3"}));
}

TEST(OpenJudges, AnEmbedderIsOpenedWhereOneIsNeeded) {
  Judging world(suite_with("semantic: {expected: e, threshold: 0.5}",
                           ", embedding_model: openai/text-embedding-3-small"));
  const auto judges = world.open();
  ASSERT_TRUE(judges) << base::render(world.out);
  ASSERT_TRUE(judges->embedder);
  EXPECT_EQ(judges->embedder->name, "openai/text-embedding-3-small");
}

TEST(OpenJudges, EverythingThatIsWrongIsSaidAtOnce) {
  Judging world(
      suite_with("{llm_judge: {criteria: c, model: anthropic/a}}, "
                 "{exec: {command: [/no/such/program]}}, "
                 "{semantic: {expected: e, threshold: 0.5}}",
                 ", embedding_model: anthropic/b"));
  EXPECT_FALSE(world.open());
  EXPECT_TRUE(world.out.has(Code::missing_credential)) << base::render(world.out);
  EXPECT_TRUE(world.out.has(Code::missing_program)) << base::render(world.out);
  EXPECT_EQ(world.out.errors(), 3u) << base::render(world.out);
}

TEST(OpenJudges, OfARecordingAreThoseInIt) {
  Judging world(
      suite_with("{llm_judge: {criteria: c, model: anthropic/a}}, "
                 "{semantic: {expected: e, threshold: 0.5}}",
                 ", embedding_model: anthropic/b"));
  auto recording = model::Recording::read(world.write("answers.jsonl", recording_of(1)));
  ASSERT_TRUE(recording);
  const auto judges = world.open(std::make_shared<const model::Recording>(*std::move(recording)));
  ASSERT_TRUE(judges) << base::render(world.out);  // no key is needed
  EXPECT_EQ(judges->models.at("anthropic/a").name, "anthropic/a");
  EXPECT_EQ(judges->embedder->name, "anthropic/b");
}

TEST(OpenJudges, WhatTheOperatorHasSetUpNeedsNoPermission) {
  Judging own(suite_with("llm_judge: {criteria: c}"));
  own.local.permissions = ServerWorld::server_permissions();
  own.local.config.judge_model = "exec:cat";
  EXPECT_TRUE(own.open()) << base::render(own.out);
  Judging named(suite_with("llm_judge: {criteria: c}", ", judge_model: 'exec:cat'"));
  named.local.permissions = ServerWorld::server_permissions();
  EXPECT_FALSE(named.open());
  EXPECT_EQ(all_codes(named.out), Found{Code::not_permitted});
}

// ---- permissions, without opening anything

struct PermitCase {
  const char* name;
  std::string suite;
  std::size_t refused;
};
class PermitSuites : public testing::TestWithParam<PermitCase> {};

TEST_P(PermitSuites, ByTheirPermissions) {
  Judging world(GetParam().suite);
  world.local.permissions = ServerWorld::server_permissions();
  world.local.permissions.local_models = {"exec:allowed"};
  permit_suite(*world.suite, world.suite->metadata.model, world.local.permissions, world.source,
               world.out);
  EXPECT_EQ(all_codes(world.out), Found(GetParam().refused, Code::not_permitted))
      << base::render(world.out);
  world.out = {};
  permit_suite(*world.suite, world.suite->metadata.model, {}, world.source, world.out);
  EXPECT_TRUE(world.out.empty());  // everything is allowed on the user's own machine
}

INSTANTIATE_TEST_SUITE_P(
    Judges, PermitSuites,
    testing::Values(
        PermitCase{"plain", suite_with("match: a"), 0},
        PermitCase{"judge_of_a_check", suite_with("llm_judge: {criteria: c, model: 'exec:id'}"), 1},
        PermitCase{"judge_that_is_listed",
                   suite_with("llm_judge: {criteria: c, model: 'exec:allowed'}"), 0},
        PermitCase{"judge_of_the_suite",
                   suite_with("llm_judge: {criteria: c}", ", judge_model: 'exec:id'"), 1},
        PermitCase{"judge_that_nobody_asks", suite_with("match: a", ", judge_model: 'exec:id'"), 0},
        PermitCase{"program_inside_an_alternative",
                   suite_with("or: [{match: a}, {exec: {command: [cat]}}]"), 1},
        PermitCase{"model_and_program",
                   "metadata: {name: s, model: 'exec:id'}\n"
                   "evals: [{prompt: p, checks: [exec: {command: [cat]}]}]\n",
                   2}),
    [](const auto& row) { return row.param.name; });

// ---- judge calls

TEST(JudgeCalls, AreCountedByTheirNames) {
  Judging world(
      suite_with("{llm_judge: {criteria: a}}, {llm_judge: {criteria: b, repeat: 3}}, "
                 "{llm_judge: {criteria: c, model: openai/o3, repeat: 2}}, {match: a}"));
  const auto calls = judge_calls(*world.plan, world.plan->samples()[0]);
  EXPECT_EQ(calls, (std::map<std::string, std::int64_t>{{"", 4}, {"openai/o3", 2}}));
}

}  // namespace
}  // namespace vibe::app
