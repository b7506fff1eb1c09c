#include "fitness/answer_score.h"

#include <gtest/gtest.h>

namespace vibe::fitness {
namespace {

AnswerScore scored_answer(std::string_view text, std::string_view prompt = {}) {
  return score_answer({text, prompt}, default_rubric());
}

TEST(AnswerScore, WithoutTextThereIsNone) {
  for (const auto* text : {"", " \n\t\n"}) {
    EXPECT_EQ(scored_answer(text).output_quality, std::nullopt);
    EXPECT_EQ(scored_answer(text).structure_score, std::nullopt);
  }
}

TEST(AnswerScore, PlainWordsHaveNoStructure) {
  const auto found = scored_answer("The capital of France is Paris.");
  EXPECT_EQ(found.structure_score, 0);
  EXPECT_GT(found.output_quality, 0.5);
}

TEST(AnswerScore, CodeMakesItATaskOfCoding) {
  const auto code = scored_answer(
      "# Sums\n\nThis adds two numbers. Call it with both of them.\n\n- fast\n\n"
      "```python\ndef add(a, b):\n    return a + b\n```\n\nNext steps: write a test.\n");
  EXPECT_EQ(code.structure_score, 1);
  EXPECT_EQ(code.output_quality, 1);  // all of completeness can be earned where there is code
}

TEST(AnswerScore, CodeThatDoesNotParseCosts) {
  const auto good = scored_answer("It prints one:\n\n```python\nprint(1)\n```\n");
  const auto bad = scored_answer("It prints one:\n\n```python\nprint(1\n```\n");
  EXPECT_LT(bad.output_quality, good.output_quality);
  EXPECT_EQ(bad.structure_score, good.structure_score);
}

TEST(AnswerScore, ThePromptSaysWhatWasAskedFor) {
  constexpr std::string_view kAnswer = "It is forty-two, as everybody knows.";
  EXPECT_LT(scored_answer(kAnswer, "Answer in JSON.").output_quality,
            scored_answer(kAnswer, "What is it?").output_quality);
}

}  // namespace
}  // namespace vibe::fitness
