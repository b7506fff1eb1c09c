#include "run/answer_figures.h"

#include <gtest/gtest.h>

#include "run/world.h"

namespace vibe::run {
namespace {

std::string suite_with(const std::string& score) {
  return "metadata: {name: s, model: openai/x}\n"
         "evals: [{name: a, prompt: p, checks: [match: \"*\"]}]\nscore: {" +
         score + "}\n";
}

TEST(AnswerFigures, AreWantedWhereAFormulaIsAboutThem) {
  const auto wanted = [](const std::string& score) {
    return uses_answers(World(suite_with(score)).suite->program);
  };
  EXPECT_FALSE(wanted("formula: success_pct"));
  EXPECT_FALSE(wanted("formula: mean(fitness)"));
  EXPECT_TRUE(wanted("formula: mean(output_quality)"));
  EXPECT_TRUE(wanted("formula: 'sum(structure_score, \"a*\")'"));
  EXPECT_TRUE(wanted("metrics: {looks: mean(structure_score)}, formula: a"));
}

TEST(AnswerFigures, ARunLooksOnlyWhereItIsTold) {
  World world(suite_with("formula: a"));
  const auto plan = world.plan();
  for (const bool told : {false, true}) {
    FakeModel model;
    model.reply = [](const model::Request&) { return answer("# Title\n\nIt is so.\n"); };
    Collector seen;
    Job job = job_of(*plan, model);
    if (told) job.rubric = &fitness::default_rubric();
    run_one(job, seen);
    ASSERT_EQ(seen.results.size(), 1U);
    EXPECT_EQ(seen.results[0].output_quality.has_value(), told);
    EXPECT_EQ(seen.results[0].structure_score.has_value(), told);
  }
}

TEST(AnswerFigures, AreOfTheLastTurn) {
  score::Result result;
  result.prompt = "Answer in JSON.";
  result.response = "It is so, as everybody knows.";
  look_at_answer(result, fitness::default_rubric());
  const auto asked_for_json = result.output_quality;
  result.turns.resize(2);
  result.turns[1].prompt = "Say it in words.";
  result.turns[1].response = result.response;
  look_at_answer(result, fitness::default_rubric());
  EXPECT_GT(result.output_quality, asked_for_json);
}

TEST(AnswerFigures, OfNoResponseThereIsNone) {
  score::Result result;
  look_at_answer(result, fitness::default_rubric());
  EXPECT_EQ(result.output_quality, std::nullopt);
  EXPECT_EQ(result.structure_score, std::nullopt);
}

}  // namespace
}  // namespace vibe::run
