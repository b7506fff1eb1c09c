// One formula with the names of a suite, or without one.
#include "app/suites/check_formula.h"

#include <cstdio>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

namespace vibe::app {

namespace {

// A suite whose metric is named as the source of the formula, and has a note of its own.
std::string suite_file() {
  std::string path = testing::TempDir() + "suite-XXXXXX";
  std::FILE* file = fdopen(mkstemp(path.data()), "w");
  std::fputs(
      "metadata: {name: s, model: m/n}\n"
      "evals: [{name: math, prompt: p, checks: [{match: x}]}]\n"
      "score: {formula: math, metrics: {formula: math / total_cost}}\n",
      file);
  std::fclose(file);
  return path;
}

TEST(CheckFormula, OnlyTheFormulaIsJudged) {
  const std::string path = suite_file();
  const auto seen = check_formula({"100 * math + default(formula, 0)", path, false});
  EXPECT_TRUE(seen.program);
  EXPECT_TRUE(seen.diagnostics.empty()) << base::render(seen.diagnostics);
  const auto own = check_formula({"1 / total_cost", path, false});
  EXPECT_EQ(own.diagnostics.all().size(), 1u) << base::render(own.diagnostics);
  unlink(path.c_str());
}

TEST(CheckFormula, StrictTakesTheProgramAway) {
  EXPECT_TRUE(check_formula({"2 + 2", std::nullopt, false}).program);
  EXPECT_FALSE(check_formula({"2 + 2", std::nullopt, true}).program);
}

TEST(CheckFormula, WithoutASuiteAWordIsAnEval) {
  const auto seen = check_formula({"math", std::nullopt, false});
  ASSERT_TRUE(seen.program);
  ASSERT_EQ(seen.diagnostics.all().size(), 1u);
  EXPECT_EQ(seen.diagnostics.all()[0].code, base::Code::assumed_eval);
}

}  // namespace

}  // namespace vibe::app
