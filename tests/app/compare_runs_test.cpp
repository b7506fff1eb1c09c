// Compares runs: finds them, pairs their questions, says what changed.
#include "app/runs/compare_runs.h"

#include <gtest/gtest.h>

#include "app/runs/pair_questions.h"
#include "app/world.h"
#include "store/sql.h"

namespace vibe::app {
namespace {

using base::Code;
using Names = std::vector<std::string>;

// Runs of recordings, in which some of the evals are wrong.
struct Recorded {
  Machine machine;

  std::string run(std::size_t evals, const std::vector<std::size_t>& wrong,
                  const std::string& more = {}) {
    auto request = request_for(machine.write("suite.yaml", suite_of(evals) + more));
    request.models = {"replay:" + machine.write("answers.jsonl", recording_of(evals, wrong))};
    return machine.run(request).run.id;
  }
  store::Runs& stored() { return machine.local.runs(); }
  Contender contender(const std::string& text) {
    auto found = find_contender(stored(), text);
    EXPECT_TRUE(found) << base::render(found.error());
    return found ? *std::move(found) : Contender{};
  }
  std::string refusal(const std::string& text) {
    const auto found = find_contender(stored(), text);
    return found ? "" : found.error().all().front().message;
  }
  std::vector<statistics::Comparison> compare(const std::string& base, const Names& candidates,
                                              const CompareRequest& request = {}) {
    std::vector<Contender> all;
    for (const auto& text : candidates) all.push_back(contender(text));
    auto out = compare_runs(contender(base), all, request);
    EXPECT_TRUE(out) << base::render(out.error());
    return out ? *std::move(out) : std::vector<statistics::Comparison>{};
  }
};

TEST(FindContender, ByIdByPlaceByModel) {
  Recorded world;
  const auto first = world.run(2, {}), second = world.run(2, {1}), third = world.run(3, {});
  EXPECT_EQ(world.contender(first).label, first);
  EXPECT_EQ(world.contender("last").label, third);
  EXPECT_EQ(world.contender("last~0").label, third);
  EXPECT_EQ(world.contender("last~2").label, first);
  EXPECT_EQ(world.contender("sums@openai/gpt-4o-mini").label, third);
  EXPECT_EQ(world.refusal("last~3"), "there are not 3 ended runs of `sums` before the last");
  EXPECT_EQ(world.refusal("last~x"), "`last~x` needs a number after `~`");
  EXPECT_EQ(world.refusal("sums@other"), "no run of suite `sums` with model `other` has ended");
  EXPECT_EQ(world.refusal("nothing"), "there is no run `nothing`");
  EXPECT_FALSE(second.empty());
}

TEST(FindContender, ARunAtWorkIsRefused) {
  Recorded world;
  const auto id = world.run(2, {});
  test::execute(world.machine.folder.database(), "UPDATE runs SET status = 'running'");
  EXPECT_EQ(world.refusal(id), "run `" + id + "` has not ended: it is `running`");
  EXPECT_EQ(world.refusal("last"), "no run has ended yet");
}

TEST(FindContender, AFileOfResults) {
  Recorded world;
  const auto path = world.machine.write(
      "results.jsonl", "{\"name\": \"e1\", \"passed\": true}\n{\"passed\": false}\n");
  const auto seen = world.contender(path);
  EXPECT_EQ(seen.label, path);
  EXPECT_EQ(seen.questions.size(), 2u);
  EXPECT_FALSE(seen.run || seen.program);
  const auto bad = world.machine.write("bad.jsonl", "{\"passed\": 3}\n");
  EXPECT_FALSE(world.refusal(bad).empty());
}

TEST(CompareRuns, SaysWhichEvalsChanged) {
  Recorded world;
  const auto base = world.run(8, {1, 2, 3, 4, 5, 6, 7}), candidate = world.run(8, {8});
  const auto seen = world.compare(base, {candidate}).at(0);
  EXPECT_EQ(seen.compared.difference, 75);
  EXPECT_EQ(seen.flips.won, (Names{"e1", "e2", "e3", "e4", "e5", "e6", "e7"}));
  EXPECT_EQ(seen.flips.lost, Names{"e8"});
  EXPECT_EQ(seen.flips.both + seen.flips.neither, 0u);
  ASSERT_TRUE(seen.compared.passes);
  EXPECT_EQ(seen.compared.passes->won, 7u);
  EXPECT_EQ(seen.compared.passes->lost, 1u);
  EXPECT_NEAR(seen.evals.at(0).contribution.value_or(0), 12.5, 1e-9);
  EXPECT_EQ(seen.evals.at(0).prompt, "question 1");
  EXPECT_EQ(seen.evals.at(0).base_answer, "no");
  EXPECT_EQ(seen.evals.at(0).candidate_answer, "it is 4");
  EXPECT_EQ(seen.base.success, 12.5);
  EXPECT_EQ(seen.candidate.success, 87.5);
}

TEST(CompareRuns, WhatHasNoPartnerIsLeftOut) {
  Recorded world;
  const auto base = world.run(6, {1}), candidate = world.run(8, {2});
  const auto seen = world.compare(base, {candidate}).at(0);
  EXPECT_EQ(seen.questions, 6u);
  EXPECT_EQ(seen.only_candidate, (Names{"e7", "e8"}));
  EXPECT_TRUE(seen.only_base.empty());
  EXPECT_EQ(seen.compared.scores[1], 100 * 5.0 / 6);  // not 7 of 8
  const auto back = world.compare(candidate, {base}).at(0);
  EXPECT_EQ(back.only_base, (Names{"e7", "e8"}));
}

TEST(CompareRuns, AnotherFormulaOfTheBaseIsNoted) {
  Recorded world;
  const auto base = world.run(2, {}, "score: {formula: success_pct / total_cost}\n");
  const auto candidate = world.run(2, {1}, "score: {formula: 10 * e1 + e2}\n");
  const auto seen = world.compare(base, {candidate}).at(0);
  EXPECT_EQ(seen.formula, "10 * e1 + e2");
  EXPECT_EQ(seen.compared.scores[0], 11);
  EXPECT_EQ(seen.compared.scores[1], 1);
  ASSERT_EQ(seen.notes.size(), 1u);
  EXPECT_EQ(seen.notes[0],
            "`" + base + "` was scored by another formula: `success_pct / total_cost`");
  EXPECT_EQ(seen.verdict_note, "");
  CompareRequest request;
  request.formula = "100 * e2";
  const auto other = world.compare(base, {candidate}, request).at(0);
  EXPECT_EQ(other.compared.difference, 0);
  EXPECT_EQ(other.verdict_note, "formula set after these runs");
  request.formula = "10 * e1  + e2";  // the candidate's own
  EXPECT_EQ(world.compare(base, {candidate}, request).at(0).verdict_note, "");
}

TEST(CompareRuns, AFormulaThatNamesAMissingEvalIsRefused) {
  Recorded world;
  const auto base = world.run(2, {});
  const auto candidate = world.run(3, {}, "score: {formula: e1 + e3}\n");
  const auto seen = compare_runs(world.contender(base), {world.contender(candidate)}, {});
  ASSERT_FALSE(seen);
  EXPECT_EQ(first_message(seen.error()),
            "the formula names `e3`, which `" + base + "` has not answered");
}

TEST(CompareRuns, RunsWithoutACommonEvalAreRefused) {
  Recorded world;
  const auto base = world.run(2, {});
  const auto path = world.machine.write("results.jsonl", "{\"name\": \"x\", \"passed\": true}\n");
  const auto seen = compare_runs(world.contender(base), {world.contender(path)}, {});
  ASSERT_FALSE(seen);
  EXPECT_EQ(first_message(seen.error()),
            "`" + base + "` and `" + path + "` have no eval in common");
}

TEST(CompareRuns, ARunWithoutAnAnswerIsRefused) {
  Recorded world;
  const auto id = world.run(2, {});
  test::execute(world.machine.folder.database(), "UPDATE results SET status = 'error'");
  EXPECT_EQ(world.refusal(id), "run `" + id + "` has no answers: every sample ended in an error");
}

TEST(CompareRuns, GuardsVeto) {
  Recorded world;
  const auto base = world.run(8, {}), candidate = world.run(8, {1, 2, 3, 4, 5, 6, 7});
  CompareRequest request;
  request.formula = "0 * total_cost + 1";
  request.guards = {"success_pct", "total_cost", "avg_latency:higher"};
  const auto seen = world.compare(base, {candidate}, request).at(0);
  ASSERT_EQ(seen.guards.size(), 3u);
  EXPECT_TRUE(seen.guards[0].is_worse);
  EXPECT_EQ(seen.guards[0].candidate, 12.5);
  EXPECT_FALSE(seen.guards[1].is_worse || seen.guards[2].is_worse);
  EXPECT_TRUE(seen.guards[1].lower_is_better);
  EXPECT_FALSE(seen.guards[2].lower_is_better);
  EXPECT_NEAR(seen.guards[1].base.value_or(0), 0.008, 1e-12);
  EXPECT_EQ(statistics::gate_of(seen, {}, false), statistics::GateAnswer::failed);
  request.guards = {"success_pct:up"};
  const auto bad = compare_runs(world.contender(base), {world.contender(candidate)}, request);
  ASSERT_FALSE(bad);
  EXPECT_EQ(first_message(bad.error()), "`--guard success_pct:up` has an unknown direction");
  request.guards = {"nothing"};
  EXPECT_FALSE(compare_runs(world.contender(base), {world.contender(candidate)}, request));
}

TEST(CompareRuns, SeveralCandidatesShareTheRiskOfAFalseAlarm) {
  Recorded world;
  const auto base = world.run(8, {1, 2, 3, 4, 5, 6});
  const auto better = world.run(8, {}), same = world.run(8, {1, 2, 3, 4, 5, 6});
  const auto alone = world.compare(base, {better}).at(0);
  EXPECT_FALSE(alone.p_adjusted);
  const auto seen = world.compare(base, {better, same, base});
  ASSERT_EQ(seen.size(), 3u);
  const double p = alone.compared.these_evals->test.p;
  EXPECT_NEAR(seen[0].p_adjusted.value_or(0), std::min(1.0, 3 * p), 1e-12);
  EXPECT_EQ(seen[1].p_adjusted, 1);
}

// ---- pairing

const std::string kUnnamed =
    "metadata: {name: sums, model: openai/gpt-4o-mini}\nevals:\n"
    "  - {prompt: question 1, checks: [{match: '*4*'}]}\n"
    "  - {prompt: question 2, checks: [{match: '*4*'}]}\n";

TEST(PairQuestions, EvalsWithoutANameByTheirPrompt) {
  Machine machine;
  const auto a = machine.run(machine.write("a.yaml", kUnnamed)).run.id;
  std::string turned = kUnnamed;
  std::swap(turned[turned.find("question 1") + 9], turned[turned.find("question 2") + 9]);
  const auto b = machine.run(machine.write("b.yaml", turned)).run.id;
  auto& stored = machine.local.runs();
  const auto seen = pair_questions(*find_contender(stored, a), *find_contender(stored, b));
  EXPECT_EQ(seen.by, "prompt");
  EXPECT_EQ(seen.of_base, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(seen.of_candidate, (std::vector<std::size_t>{1, 0}));
  EXPECT_TRUE(seen.changed.empty());

  std::string other = kUnnamed;
  other.replace(other.find("question 2"), 10, "question 9");
  const auto c = machine.run(machine.write("c.yaml", other)).run.id;
  const auto left = pair_questions(*find_contender(stored, a), *find_contender(stored, c));
  EXPECT_EQ(left.questions.size(), 1u);
  EXPECT_EQ(left.only_base, Names{"eval 2"});
  EXPECT_EQ(left.only_candidate, Names{"eval 2"});
}

TEST(PairQuestions, ByTheirPlaceInTheSameSuite) {
  Machine machine;
  std::string text = kUnnamed;
  text.replace(text.find("question 1"), 10, "\"{{var('x')}}\"");
  const auto path = machine.write("a.yaml", text);
  auto& stored = machine.local.runs();
  ASSERT_TRUE(machine.local.store->archive().variables().set("x", "one"));
  const auto a = machine.run(path).run.id;
  ASSERT_TRUE(machine.local.store->archive().variables().set("x", "two"));
  const auto b = machine.run(path).run.id;
  const auto seen = pair_questions(*find_contender(stored, a), *find_contender(stored, b));
  EXPECT_EQ(seen.questions.size(), 2u);
  EXPECT_EQ(seen.by, "position");
  EXPECT_EQ(seen.changed, Names{"eval 1"});
}

TEST(PairQuestions, CasesByTheirIdOrTheirPrompt) {
  Machine machine;
  auto& stored = machine.local.runs();
  const auto run = [&](const std::string& cases) {
    return machine
        .run(
            machine.write("a.yaml",
                          "metadata: {name: sums, model: openai/gpt-4o-mini}\nevals:\n"
                          "  - {name: n, prompt: 'say {{ x }}', checks: [{match: '*4*'}], cases: " +
                              cases + "}\n"))
        .run.id;
  };
  const auto a = run("[{x: a}, {x: b}, {x: c}]"), b = run("[{x: c}, {x: d}, {x: a}]");
  const auto seen = pair_questions(*find_contender(stored, a), *find_contender(stored, b));
  EXPECT_EQ(seen.of_base, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(seen.of_candidate, (std::vector<std::size_t>{2, 0}));
  EXPECT_EQ(seen.only_base, Names{"n[2]"});
  EXPECT_EQ(seen.only_candidate, Names{"n[2]"});
  const auto c = run("[{id: one, x: a}, {id: two, x: b}]");
  const auto d = run("[{id: two, x: z}, {id: one, x: a}]");
  const auto by_id = pair_questions(*find_contender(stored, c), *find_contender(stored, d));
  EXPECT_EQ(by_id.of_candidate, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(by_id.changed, Names{"n[two]"});
}

// ---- gates

TEST(Gate, Answers) {
  using statistics::GateAnswer;
  using statistics::Verdict;
  statistics::Comparison one;
  EXPECT_EQ(gate_of(one, {}, false), GateAnswer::inconclusive);  // a score is undefined
  one.compared.judgement = statistics::Judgement{};
  const auto answer = [&](Verdict verdict, const statistics::Thresholds& thresholds,
                          std::optional<bool> not_worse, bool is_strict) {
    one.compared.judgement->verdict = verdict;
    one.compared.judgement->not_worse = not_worse;
    return gate_of(one, thresholds, is_strict);
  };
  statistics::Thresholds bound;
  bound.not_worse_than = 1;
  EXPECT_EQ(answer(Verdict::worse, {}, {}, false), GateAnswer::failed);
  EXPECT_EQ(answer(Verdict::worse_on_these_evals, {}, {}, false), GateAnswer::failed);
  EXPECT_EQ(answer(Verdict::no_difference_shown, {}, {}, false), GateAnswer::passed);
  EXPECT_EQ(answer(Verdict::no_difference_shown, {}, {}, true), GateAnswer::inconclusive);
  EXPECT_EQ(answer(Verdict::no_difference_that_matters, {}, {}, true), GateAnswer::passed);
  EXPECT_EQ(answer(Verdict::better, {}, {}, true), GateAnswer::passed);
  EXPECT_EQ(answer(Verdict::no_difference_shown, bound, true, false), GateAnswer::passed);
  EXPECT_EQ(answer(Verdict::no_difference_shown, bound, {}, false), GateAnswer::inconclusive);
  EXPECT_EQ(answer(Verdict::worse, bound, true, false), GateAnswer::passed);
  EXPECT_EQ(answer(Verdict::worse, bound, false, false), GateAnswer::failed);
}

}  // namespace
}  // namespace vibe::app
