#include "report/fitness.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "fitness/findings.h"
#include "suite/expectations.h"

namespace vibe::report {
namespace {

using fitness::Scored;

Scored scored_execution(std::string id, const fitness::Rubric& rubric) {
  trace::Execution execution = fitness::execution_of(
      {.calls = 9, .succeeded = 2, .failed = 7, .repeats = 1, .corrections = 2});
  execution.id = std::move(id);
  execution.notes = {"1 line is broken: 3"};
  for (int i = 0; i < 7; ++i) {
    execution.calls.push_back(fitness::failed_call("Bash"));
    execution.calls.back().error = "a long tale of what went wrong, " + std::string(80, 'x');
  }
  return {execution, fitness::score(execution, rubric)};
}

TEST(FitnessReport, NoLineOfAnExplanationIsWiderThanTheTerminal) {
  const auto& rubric = fitness::default_rubric();
  const std::vector all{scored_execution("a", rubric), scored_execution("b", rubric)};
  for (const std::size_t width : {70u, 100u, 140u}) {
    const std::string text = fitness_report(FitnessForm::explanations, all, rubric, {false, width});
    for (const std::string& line : test::split_lines(text))
      EXPECT_LE(base::display_width(line), width) << line;
  }
}

TEST(FitnessReport, ExplainsEverySessionAndItsNotes) {
  const auto& rubric = fitness::default_rubric();
  const std::vector all{scored_execution("a", rubric), scored_execution("b", rubric)};
  const std::string text = fitness_report(FitnessForm::explanations, all, rubric, {false, 100});
  EXPECT_NE(text.find("=== a ==="), std::string::npos);
  EXPECT_NE(text.find("\n\n=== b ==="), std::string::npos);
  EXPECT_NE(text.find("and 3 more\n"), std::string::npos);
  EXPECT_NE(text.find("\nnote: 1 line is broken: 3\n"), std::string::npos);
}

TEST(FitnessReport, ANoteThatAScoredLogHasIsNotRepeated) {
  const auto& rubric = fitness::default_rubric();
  Scored one = scored_execution("a", rubric);
  const auto notes = fitness::notes_of(one.fitness, rubric);
  ASSERT_FALSE(notes.empty());
  one.execution.notes = notes;
  const std::string text = fitness_report(FitnessForm::jsonl, std::span(&one, 1), rubric, {});
  const auto first = text.find(notes.front());
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find(notes.front(), first + 1), std::string::npos);
}

}  // namespace
}  // namespace vibe::report
