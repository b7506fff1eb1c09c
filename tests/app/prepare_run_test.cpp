// Prepares runs, and finds every problem before the first request.
#include "app/runs/prepare_run.h"

#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "app/world.h"
#include "base/crypto.h"

namespace vibe::app {
namespace {

using base::Code;

std::vector<std::uint32_t> first_samples(std::uint32_t count) {
  std::vector<std::uint32_t> out(count);
  std::iota(out.begin(), out.end(), 0U);
  return out;
}

TEST(PrepareRun, SaysWhatTheRunWillBe) {
  Machine machine;
  const auto text =
      suite_of(3, "  system_prompt: be brief\n") + "score: {formula: e1 *  10, min: 7}\n";
  const auto path = machine.write("suite.yaml", text);
  const auto prepared = machine.prepare(path);
  ASSERT_TRUE(prepared) << base::render(machine.out);
  ASSERT_EQ(prepared->runs.size(), 1u);
  const auto& [run, pending] = std::tie(prepared->runs[0].run, prepared->runs[0].pending);
  EXPECT_EQ(run.id, "");
  EXPECT_EQ(run.suite_name, "sums");
  EXPECT_EQ(run.model, "openai/gpt-4o-mini");
  EXPECT_EQ(run.source, "");
  EXPECT_EQ(run.suite_path, path);
  EXPECT_EQ(run.suite_text, text);
  EXPECT_EQ(run.suite_hash, base::hash(text));
  EXPECT_EQ(run.system_prompt, "be brief");
  EXPECT_EQ(run.planned, 3u);
  EXPECT_EQ(run.score_formula, "e1 * 10");
  EXPECT_EQ(pending, first_samples(3));
  EXPECT_EQ(prepared->gates.min_score, 7);
  EXPECT_FALSE(prepared->budget || prepared->run_timeout || prepared->gates.min_success);
}

TEST(PrepareRun, HasEachTagOfTheSuiteOnce) {
  Machine machine;
  const auto path = machine.write("suite.yaml",
                                  "metadata: {name: tagged, model: openai/gpt-4o-mini}\n"
                                  "evals:\n"
                                  "  - {prompt: a, tags: [math, hard], checks: [match: '*']}\n"
                                  "  - {prompt: b, tags: hard, checks: [match: '*']}\n"
                                  "  - {prompt: c, tags: [sums, math], checks: [match: '*']}\n");
  const auto prepared = machine.prepare(path);
  ASSERT_TRUE(prepared) << base::render(machine.out);
  EXPECT_EQ(prepared->runs[0].run.tags, (std::vector<std::string>{"math", "hard", "sums"}));
}

TEST(PrepareRun, AsksNobodyAndKeepsNothing) {
  Machine machine;
  ASSERT_TRUE(machine.prepare(machine.write("suite.yaml", suite_of(2))));
  EXPECT_TRUE(machine.wire.asked().empty());
  EXPECT_TRUE(machine.local.suites().list()->empty());
  EXPECT_TRUE(machine.local.runs().list({})->runs.empty());
}

TEST(PrepareRun, TheRequestComesBeforeTheSuiteAndTheConfiguration) {
  Machine machine;
  machine.local.config.budget = 5;
  machine.local.config.run_timeout = 50;
  machine.local.config.threads = 3;
  auto request = request_for(machine.write("suite.yaml", suite_of(1) + "score: {min: 7}\n"));
  auto prepared = machine.prepare(request);
  ASSERT_TRUE(prepared) << base::render(machine.out);
  EXPECT_EQ(prepared->budget, 5);
  EXPECT_EQ(prepared->run_timeout, 50);
  EXPECT_EQ(prepared->plan->threads(), 3u);
  request.budget = 0;
  request.run_timeout = 9;
  request.min_score = 0;
  request.min_success = 80;
  request.plan.threads = 2;
  prepared = machine.prepare(request);
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->budget, 0);  // 0 is a budget
  EXPECT_EQ(prepared->run_timeout, 9);
  EXPECT_EQ(prepared->gates.min_score, 0);
  EXPECT_EQ(prepared->gates.min_success, 80);
  EXPECT_EQ(prepared->plan->threads(), 2u);
}

TEST(PrepareRun, EachModelHasARunInTheOrderOfTheirNames) {
  Machine machine;
  auto request = request_for(machine.write("suite.yaml", suite_of(2)));
  request.models = {"openai/gpt-4o", "openai/gpt-4o-mini", "openai/gpt-4o"};
  const auto prepared = machine.prepare(request);
  ASSERT_TRUE(prepared) << base::render(machine.out);
  ASSERT_EQ(prepared->runs.size(), 2u);
  EXPECT_EQ(prepared->runs[0].run.model, "openai/gpt-4o");
  EXPECT_EQ(prepared->runs[1].run.model, "openai/gpt-4o-mini");
  EXPECT_EQ(prepared->runs[1].pending, first_samples(2));
}

// ---- errors

struct RefusedRun {
  const char* name;
  std::string suite;
  std::function<void(RunRequest&, Machine&)> change;
  Found want;
};
class RefusedRuns : public testing::TestWithParam<RefusedRun> {};

TEST_P(RefusedRuns, NothingIsPrepared) {
  Machine machine;
  auto request = request_for(machine.write("suite.yaml", GetParam().suite));
  if (GetParam().change) GetParam().change(request, machine);
  EXPECT_FALSE(machine.prepare(request));
  EXPECT_EQ(all_codes(machine.out), GetParam().want) << base::render(machine.out);
  EXPECT_TRUE(machine.wire.asked().empty());
}

const std::string kJudged =
    "metadata: {name: s, model: openai/gpt-4o-mini}\n"
    "evals: [{prompt: p, checks: [llm_judge: {criteria: c, model: 'JUDGE'}]}]\n";
std::string judged_by(std::string_view model) {
  std::string out = kJudged;
  return out.replace(out.find("JUDGE"), 5, model);
}

INSTANTIATE_TEST_SUITE_P(
    PrepareRun, RefusedRuns,
    testing::Values(
        RefusedRun{"missing_file",
                   "",
                   [](RunRequest& request, Machine& machine) {
                     request.suite = machine.path("none.yaml");
                   },
                   {Code::cannot_read}},
        RefusedRun{"unknown_suite",
                   "",
                   [](RunRequest& request, Machine&) { request.suite = "sums"; },
                   {Code::not_found}},
        RefusedRun{"broken_suite",
                   "metadata: {name: s}\n",
                   nullptr,
                   {Code::missing_key, Code::missing_key}},
        RefusedRun{"unknown_values",
                   "metadata: {name: \"{{var('n')}}\", model: openai/gpt-4o-mini}\n"
                   "evals: [{prompt: \"{{secret('k')}}\", checks: [match: a]}]\n",
                   nullptr,
                   {Code::unknown_name, Code::unknown_name}},
        RefusedRun{"empty_selection",
                   suite_of(1),
                   [](RunRequest& request, Machine&) { request.plan.only = {"none"}; },
                   {Code::nothing_selected}},
        RefusedRun{"unknown_model", suite_of(1, "", "http:none"), nullptr, {Code::unknown_model}},
        RefusedRun{"missing_key",
                   suite_of(1, "", "anthropic/claude-haiku-4-5"),
                   nullptr,
                   {Code::missing_credential}},
        RefusedRun{"all_models_are_looked_at",
                   suite_of(1),
                   [](RunRequest& request, Machine&) {
                     request.models = {"http:none", "openai/gpt-4o-mini", "anthropic/a"};
                   },
                   {Code::unknown_model, Code::missing_credential}},
        RefusedRun{"pattern_of_no_model",
                   suite_of(1),
                   [](RunRequest& request, Machine&) { request.models = {"none/of-these*"}; },
                   {Code::unknown_model}},
        RefusedRun{
            "program_for_a_model",
            suite_of(1, "", "exec:cat"),
            [](RunRequest&, Machine& machine) { machine.local.permissions.any_model = false; },
            {Code::not_permitted}},
        RefusedRun{"budget_without_a_price",
                   suite_of(1, "", "openai/nobody-knows-it"),
                   [](RunRequest& request, Machine&) { request.budget = 1; },
                   {Code::unknown_price}},
        RefusedRun{"budget_without_a_price_of_the_judge",
                   judged_by("openai/nobody-knows-it"),
                   [](RunRequest& request, Machine&) { request.budget = 1; },
                   {Code::unknown_price}},
        RefusedRun{
            "judge_without_a_key", judged_by("anthropic/a"), nullptr, {Code::missing_credential}},
        RefusedRun{"recording_for_a_judge", judged_by("replay:a"), nullptr, {Code::bad_usage}},
        RefusedRun{"missing_program",
                   "metadata: {name: s, model: openai/gpt-4o-mini}\n"
                   "evals: [{prompt: p, checks: [exec: {command: [/no/such/program]}]}]\n",
                   nullptr,
                   {Code::missing_program}},
        RefusedRun{"recording_of_several_models",
                   suite_of(1),
                   [](RunRequest& request, Machine& machine) {
                     request.models = {"openai/gpt-4o", "openai/gpt-4o-mini"};
                     request.record = machine.path("new");
                   },
                   {Code::bad_usage}},
        RefusedRun{"recording_into_itself",
                   suite_of(1, "", "replay:record.jsonl"),
                   [](RunRequest& request, Machine& machine) {
                     request.record = machine.write("record.jsonl", recording_of(1));
                   },
                   {Code::bad_usage}},
        RefusedRun{"recording_over_another_file",
                   suite_of(1),
                   [](RunRequest& request, Machine& machine) {
                     request.record = machine.write("letter.txt", "dear\n");
                   },
                   {Code::bad_usage}},
        RefusedRun{"token_without_a_server",
                   suite_of(1),
                   [](RunRequest& request, Machine&) { request.tools.token = "t"; },
                   {Code::bad_usage}},
        RefusedRun{
            "tools_for_a_program",
            suite_of(1, "", "exec:cat"),
            [](RunRequest& request, Machine&) { request.tools.url = "http://127.0.0.1:1/mcp"; },
            {Code::no_tools}},
        RefusedRun{"warnings_where_they_count",
                   suite_of(1) + "colour: blue\n",
                   [](RunRequest& request, Machine&) { request.strict = true; },
                   {Code::unknown_key}},
        RefusedRun{"missing_run",
                   "",
                   [](RunRequest& request, Machine&) { request.earlier = "0199"; },
                   {Code::not_found}}),
    [](const auto& row) { return row.param.name; });

// ---- warnings

struct WarnedRun {
  const char* name;
  std::string suite;
  Found want;
};
class WarnedRuns : public testing::TestWithParam<WarnedRun> {};

TEST_P(WarnedRuns, ArePrepared) {
  Machine machine;
  EXPECT_TRUE(machine.prepare(machine.write("suite.yaml", GetParam().suite)));
  EXPECT_EQ(all_codes(machine.out), GetParam().want) << base::render(machine.out);
}

const std::string kOfNoPrice = suite_of(1, "", "openai/nobody-knows-it");
INSTANTIATE_TEST_SUITE_P(
    PrepareRun, WarnedRuns,
    testing::Values(WarnedRun{"nothing", suite_of(1), {}},
                    WarnedRun{"price_that_no_formula_needs", kOfNoPrice, {}},
                    WarnedRun{"price_that_the_formula_needs",
                              kOfNoPrice + "score: {formula: e1 - total_cost}\n",
                              {Code::unpriced_model}},
                    WarnedRun{"fitness_of_a_model_without_a_log",
                              suite_of(1) + "score: {formula: mean(fitness) + e1}\n",
                              {Code::unlogged_model}}),
    [](const auto& row) { return row.param.name; });

// ---- recordings

TEST(PrepareRun, ARecordingOfTheSuiteIsBesideIt) {
  Machine machine;
  machine.write("some/answers.jsonl", recording_of(2));
  const auto prepared =
      machine.prepare(machine.write("some/suite.yaml", suite_of(2, "", "replay:answers.jsonl")));
  ASSERT_TRUE(prepared) << base::render(machine.out);
  EXPECT_EQ(prepared->runs[0].run.model, "openai/gpt-4o-mini");  // the recorded model
  EXPECT_EQ(prepared->runs[0].run.source, "replay:" + machine.path("some/answers.jsonl"));
}

TEST(PrepareRun, ARecordingMustHaveEveryAnswer) {
  Machine machine;
  machine.write("answers.jsonl", recording_of(2));
  EXPECT_FALSE(
      machine.prepare(machine.write("suite.yaml", suite_of(9, "", "replay:answers.jsonl"))));
  // The first five by name, then how many more.
  EXPECT_EQ(all_codes(machine.out), Found(6, Code::missing_answer)) << base::render(machine.out);
  EXPECT_NE(first_message(machine.out).find("`e3`"), std::string::npos);
  EXPECT_NE(machine.out.all().back().message.find("2 more"), std::string::npos);
}

TEST(PrepareRun, ARecordingNeedsNoAnswerToWhatIsNotAsked) {
  Machine machine;
  machine.write("answers.jsonl", recording_of(2));
  auto request = request_for(machine.write("s.yaml", suite_of(9, "", "replay:answers.jsonl")));
  request.plan.only = {"e2"};
  EXPECT_TRUE(machine.prepare(request)) << base::render(machine.out);
}

TEST(PrepareRun, TheFileOfARecordingIsOpenedLast) {
  Machine machine;
  const auto before = recording_of(1);
  const auto file = machine.write("answers.jsonl", before);
  auto request = request_for(machine.write("s.yaml", suite_of(1) + "colour: blue\n"));
  request.record = file;
  request.strict = true;
  EXPECT_FALSE(machine.prepare(request));
  EXPECT_EQ(test::read_bytes(file), before);
  request.strict = false;
  request.dry_run = true;
  EXPECT_TRUE(machine.prepare(request)) << base::render(machine.out);
  EXPECT_EQ(test::read_bytes(file), before);
  request.dry_run = false;
  EXPECT_TRUE(machine.prepare(request)) << base::render(machine.out);
  EXPECT_NE(test::read_bytes(file), before);
}

TEST(PrepareRun, AFileThatIsNoRecordingIsLeftAlone) {
  Machine machine;
  auto request = request_for(machine.write("s.yaml", suite_of(1)));
  request.record = machine.write("letter.txt", "dear\n");
  EXPECT_FALSE(machine.prepare(request));
  EXPECT_EQ(test::read_bytes(*request.record), "dear\n");
}

// ---- variables and secrets

TEST(PrepareRun, ValuesAreFilledInAndSecretsAreNotKept) {
  Machine machine;
  ASSERT_TRUE(machine.local.variables().set("model", "gpt-4o-mini"));
  ASSERT_TRUE(machine.local.variables().set("name", "mine"));
  ASSERT_TRUE(machine.local.variables().set_secret("word", "open sesame"));
  const auto prepared = machine.prepare(
      machine.write("suite.yaml",
                    "metadata: {name: \"{{var('name')}}\", model: \"openai/{{var('model')}}\",\n"
                    "           system_prompt: \"say {{secret('word')}}\"}\n"
                    "evals: [{prompt: p, checks: [match: a]}]\n"));
  ASSERT_TRUE(prepared) << base::render(machine.out);
  EXPECT_EQ(prepared->plan->system_prompt(), "say open sesame");
  const score::Run& run = prepared->runs[0].run;
  EXPECT_EQ(run.suite_name, "mine");
  EXPECT_EQ(run.model, "openai/gpt-4o-mini");
  EXPECT_EQ(run.system_prompt, "say [word]");
  EXPECT_EQ(run.parameters.find("sesame"), std::string::npos);
}

TEST(PrepareRun, ProblemsDoNotTellSecrets) {
  Machine machine;
  ASSERT_TRUE(machine.local.variables().set_secret("host", "hidden-from-all"));
  auto request = request_for(machine.write("suite.yaml", suite_of(1)));
  request.tools.url = "ftp://{{secret('host')}}/mcp";
  EXPECT_FALSE(machine.prepare(request));
  EXPECT_TRUE(machine.out.has(Code::no_tools)) << base::render(machine.out);
  EXPECT_EQ(base::render(machine.out).find("hidden-from-all"), std::string::npos);
}

// ---- earlier runs

// A finished run of three samples; the second had an error.
struct EarlierRun : Machine {
  score::Run run;

  EarlierRun() {
    wire.set_status([](const std::string& body) {
      return body.find("question 2") == std::string::npos ? 200 : 400;
    });
    run = Machine::run(write("suite.yaml", suite_of(3, "  threads: 1\n"))).run;
    EXPECT_EQ(run.errors, 1u) << run.error;
  }
  RunRequest again(Continue how) const {
    RunRequest request;
    request.earlier = run.id;
    request.how = how;
    return request;
  }
};

TEST(PrepareRun, AChanceNeedsAsManyAnswers) {
  Machine machine;
  std::string suite = suite_of(2) + "score: {formula: 'pass_at(3)'}\n";
  const auto path = machine.write("suite.yaml", suite);
  auto request = request_for(path);
  ASSERT_TRUE(machine.prepare(request));
  EXPECT_EQ(all_codes(machine.out), Found{Code::few_repeats});
  EXPECT_NE(base::render(machine.out).find("--repeat 3"), std::string::npos);
  machine.out = {};
  request.plan.repeat = 3;
  ASSERT_TRUE(machine.prepare(request));
  EXPECT_TRUE(machine.out.empty()) << base::render(machine.out);
}

TEST(PrepareEarlierRun, FailedSamplesAreAskedAgain) {
  EarlierRun world;
  const auto prepared = world.prepare(world.again(Continue::failed));
  ASSERT_TRUE(prepared) << base::render(world.out);
  ASSERT_EQ(prepared->runs.size(), 1u);
  const PreparedModel& run = prepared->runs[0];
  EXPECT_EQ(run.run.id, world.run.id);
  EXPECT_EQ(run.pending, std::vector<std::uint32_t>{1});
  EXPECT_EQ(run.earlier.size(), 3u);
  EXPECT_FALSE(run.is_claimed);
  EXPECT_TRUE(run.lock);
}

TEST(PrepareEarlierRun, AllIsAskedAgainInANewRun) {
  EarlierRun world;
  const auto prepared = world.prepare(world.again(Continue::again));
  ASSERT_TRUE(prepared) << base::render(world.out);
  const PreparedModel& run = prepared->runs.at(0);
  EXPECT_EQ(run.run.id, "");
  EXPECT_EQ(run.run.suite_text, world.run.suite_text);
  EXPECT_EQ(run.run.model, world.run.model);
  EXPECT_EQ(run.pending, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_TRUE(run.earlier.empty());
  EXPECT_FALSE(run.lock);
  EXPECT_FALSE(prepared->saves_suite);
}

TEST(PrepareEarlierRun, NothingIsMissing) {
  EarlierRun world;
  EXPECT_FALSE(world.prepare(world.again(Continue::missing)));
  EXPECT_EQ(all_codes(world.out), Found{Code::nothing_selected});
}

TEST(PrepareEarlierRun, OneAtATimeWorksOnIt) {
  EarlierRun world;
  const auto first = world.prepare(world.again(Continue::failed));
  ASSERT_TRUE(first);
  EXPECT_FALSE(world.prepare(world.again(Continue::failed)));
  EXPECT_EQ(all_codes(world.out), Found{Code::run_held});
  auto look = world.again(Continue::failed);
  look.dry_run = true;
  EXPECT_TRUE(world.prepare(look)) << base::render(world.out);
}

TEST(PrepareEarlierRun, ARunThatWasNotPreparedIsFree) {
  EarlierRun world;
  auto request = world.again(Continue::failed);
  request.record = world.path("new");
  EXPECT_FALSE(world.prepare(request));
  EXPECT_EQ(all_codes(world.out), Found{Code::bad_usage});
  EXPECT_TRUE(world.prepare(world.again(Continue::failed))) << base::render(world.out);
}

TEST(PrepareEarlierRun, GoesByTheTextThatItHad) {
  EarlierRun world;
  world.write("suite.yaml", suite_of(1));
  const auto prepared = world.prepare(world.again(Continue::failed));
  ASSERT_TRUE(prepared) << base::render(world.out);
  EXPECT_EQ(prepared->plan->samples().size(), 3u);
}

TEST(PrepareEarlierRun, ThreadsAreTheRequestsOwn) {
  EarlierRun world;
  EXPECT_EQ(world.prepare(world.again(Continue::failed))->plan->threads(), 1u);
  auto request = world.again(Continue::failed);
  request.plan.threads = 7;
  EXPECT_EQ(world.prepare(request)->plan->threads(), 7u);
}

TEST(PrepareEarlierRun, AsksNothingElseThanItDid) {
  Machine machine;
  ASSERT_TRUE(machine.local.variables().set("what", "one"));
  machine.wire.set_status([](const std::string&) { return 400; });
  const auto done = machine.run(
      machine.write("suite.yaml",
                    "metadata: {name: s, model: openai/gpt-4o-mini}\n"
                    "evals: [{prompt: \"say {{var('what')}}\", checks: [match: a]}]\n"));
  RunRequest request;
  request.earlier = done.run.id;
  request.how = Continue::failed;
  ASSERT_TRUE(machine.local.variables().set("what", "two"));
  EXPECT_FALSE(machine.prepare(request));
  EXPECT_EQ(all_codes(machine.out), Found{Code::plan_changed});
  ASSERT_TRUE(machine.local.variables().set("what", "one"));
  EXPECT_TRUE(machine.prepare(request)) << base::render(machine.out);
}

TEST(PrepareEarlierRun, IsJudgedByTheRubricThatItHad) {
  Machine machine;
  machine.wire.set_status([](const std::string&) { return 400; });
  machine.write("mine.yaml", "name: mine\n");
  const auto suite = [](std::string_view formula) {
    return suite_of(1) + "score: {rubric: mine.yaml, formula: " + std::string(formula) + "}\n";
  };
  const auto judged = machine.run(machine.write("a.yaml", suite("mean(output_quality)")));
  const auto other = machine.run(machine.write("b.yaml", suite("e1")));
  machine.write("mine.yaml", "name: mine\nmost_errors: 3\n");
  RunRequest request;
  request.how = Continue::failed;
  request.earlier = judged.run.id;
  EXPECT_FALSE(machine.prepare(request));
  EXPECT_EQ(all_codes(machine.out), Found{Code::plan_changed});
  request.earlier = other.run.id;  // its formula does not use the rubric
  EXPECT_TRUE(machine.prepare(request)) << base::render(machine.out);
}

TEST(PrepareEarlierRun, OneThatLacksItsEndIsOnlyScored) {
  Machine machine;
  auto prepared = machine.prepare(machine.write("suite.yaml", suite_of(1)));
  ASSERT_TRUE(prepared && start_suite(*prepared, *machine.local.store, machine.out));
  const std::string id = prepared->runs[0].run.id;
  score::Result result;
  result.eval = result.eval_name = "e1";
  result.status = score::ResultStatus::passed;
  ASSERT_TRUE(machine.local.store->journal().add(prepared->runs[0].hold, result));
  prepared.reset();  // as if its process had ended
  ASSERT_EQ(machine.local.store->journal().mark_interrupted(), 1u);
  RunRequest request;
  request.earlier = id;
  const auto again = machine.prepare(request);
  ASSERT_TRUE(again) << base::render(machine.out);
  EXPECT_TRUE(again->runs[0].pending.empty());
  EXPECT_EQ(again->runs[0].earlier.size(), 1u);
}

}  // namespace
}  // namespace vibe::app
