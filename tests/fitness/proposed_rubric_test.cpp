#include "fitness/proposed_rubric.h"

#include <gtest/gtest.h>

#include "fitness/rubrics.h"

namespace vibe::fitness {
namespace {

constexpr std::string_view kProposedFormula =
    "round(100 * (0.6 * accuracy + 0.4 * (1 - error_rate)), 2)";

std::string proposed(const std::string& text) {
  return proposed_rubric(rubric_of(text), kProposedFormula, "fitted").value_or("none");
}

TEST(ProposedRubric, OfTheDefaultSaysOnlyWhatItChanges) {
  const auto found = proposed_rubric(default_rubric(), kProposedFormula, "fitted\nto much");
  EXPECT_EQ(found, "# fitted\n# to much\nname: calibrated\nformula: \"" +
                       std::string(kProposedFormula) + "\"\n");
  EXPECT_EQ(rubric_of(*found).program.score().text, kProposedFormula);
}

TEST(ProposedRubric, OfAUsersKeepsTheRest) {
  EXPECT_EQ(proposed("# ours\n"
                     "name: reviews\n"
                     "formula: 100 * accuracy  # for now\n"
                     "most_errors: 20\n"),
            "# fitted\n# ours\n"
            "name: reviews-calibrated\n"
            "formula: \"" +
                std::string(kProposedFormula) +
                "\"  # for now\n"
                "most_errors: 20\n");
}

TEST(ProposedRubric, ReplacesAFormulaOfSeveralLines) {
  for (const auto* text : {"formula: |-\n  100 *\n  accuracy\nmost_errors: 20\n",
                           "formula: >\n  100 *\n  accuracy\n\nmost_errors: 20\n",
                           "formula: \"100 *\n  accuracy\"\nmost_errors: 20\n",
                           "formula: 100 *\n  accuracy\nmost_errors: 20",
                           "{formula: 100 * accuracy, name: x, most_errors: 20}"}) {
    const std::string found = proposed(text);
    const Rubric read = rubric_of(found);
    EXPECT_EQ(read.program.score().text, kProposedFormula) << found;
    EXPECT_EQ(read.most_errors, 20) << found;
  }
}

TEST(ProposedRubric, AddsWhatTheTextDoesNotHave) {
  const std::string found = proposed("most_errors: 20");
  EXPECT_EQ(rubric_of(found).program.score().text, kProposedFormula) << found;
  EXPECT_EQ(rubric_of(found).most_errors, 20);
}

TEST(ProposedRubric, IsNoneWhereTheTextCannotBeChanged) {
  EXPECT_EQ(proposed("{most_errors: 20}"), "none");
}

TEST(ProposedRubric, AnotherRoundKeepsTheName) {
  EXPECT_EQ(rubric_of(proposed("name: x-calibrated")).name, "x-calibrated");
}

}  // namespace
}  // namespace vibe::fitness
