// Scores results of other harnesses.
#include "app/runs/score_results.h"

#include <gtest/gtest.h>

#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

struct ScoredFiles {
  const base::TempFolder files = base::TempFolder::make().value();
  ScoreRequest request;

  std::string write(const std::string& name, const std::string& text) const {
    test::write_bytes(files.path() + "/" + name, text);
    return files.path() + "/" + name;
  }
  ScoredResults score(const std::string& lines) {
    request.results = write("results.jsonl", lines);
    return score_results(request);
  }
};

const std::string kThree =
    "{\"name\": \"e1\", \"passed\": true}\n{\"name\": \"e1\", \"passed\": false}\n"
    "{\"name\": \"e2\", \"passed\": true}\n";

TEST(ScoreResults, WithoutASuiteNamesComeFromTheResults) {
  ScoredFiles files;
  const auto plain = files.score(kThree);
  ASSERT_TRUE(plain.score) << base::render(plain.diagnostics);
  EXPECT_NEAR(plain.score->value.value_or(0), 200.0 / 3, 1e-9);
  files.request.formula = "10 * e1 + e2";
  const auto own = files.score(kThree);
  ASSERT_TRUE(own.score) << base::render(own.diagnostics);
  EXPECT_EQ(own.score->value, 6);
  files.request.formula = "e3";
  const auto unknown = files.score(kThree);
  EXPECT_FALSE(unknown.score);
  EXPECT_EQ(all_codes(unknown.diagnostics), Found{Code::unknown_variable});
}

TEST(ScoreResults, BySuite) {
  ScoredFiles files;
  files.request.suite =
      files.write("suite.yaml", suite_of(2) + "score: {formula: 10 * e1 + e2, min: 5}\n");
  const auto scored = files.score(kThree);
  ASSERT_TRUE(scored.score) << base::render(scored.diagnostics);
  EXPECT_TRUE(scored.diagnostics.empty());
  EXPECT_EQ(scored.score->value, 6);
  EXPECT_EQ(scored.gates.min_score, 5);
  files.request.min_score = 0;
  files.request.min_success = 90;
  const auto gated = files.score(kThree);
  EXPECT_EQ(gated.gates.min_score, 0);
  EXPECT_EQ(gated.gates.min_success, 90);
}

TEST(ScoreResults, WarnsOfEvalsThatOnlyOneKnows) {
  ScoredFiles files;
  files.request.suite = files.write("suite.yaml", suite_of(8));
  std::string lines;
  for (const char* name : {"e1", "x", "y"})
    lines += "{\"name\": \"" + std::string(name) + "\", \"passed\": true}\n";
  const auto scored = files.score(lines);
  EXPECT_TRUE(scored.score);
  ASSERT_EQ(all_codes(scored.diagnostics),
            (Found{Code::result_without_eval, Code::eval_without_result}));
  EXPECT_NE(scored.diagnostics.all()[0].message.find("`x`, `y`"), std::string::npos);
  // Five of the seven missing evals are named.
  EXPECT_NE(scored.diagnostics.all()[1].message.find("`e6` and 2 more"), std::string::npos);
  files.request.strict = true;
  const auto strict = files.score(lines);
  EXPECT_FALSE(strict.score);
  EXPECT_TRUE(strict.diagnostics.failed());
}

TEST(ScoreResults, AnUndefinedScoreIsNotZero) {
  ScoredFiles files;
  files.request.suite = files.write("a.yaml", suite_of(2) + "score: {formula: e1 / (e2 - 1)}\n");
  const auto undefined = files.score(kThree);
  ASSERT_TRUE(undefined.score) << base::render(undefined.diagnostics);
  EXPECT_EQ(undefined.score->value, std::nullopt);
  EXPECT_NE(undefined.score->error, "");
  files.request.suite =
      files.write("b.yaml", suite_of(2) + "score: {formula: e1 / (e2 - 1), on_undefined: -1}\n");
  const auto replaced = files.score(kThree);
  ASSERT_TRUE(replaced.score) << base::render(replaced.diagnostics);
  EXPECT_EQ(replaced.score->value, -1);
}

TEST(ScoreResults, WarnsOfNamesThatFormulasKeep) {
  ScoredFiles files;
  files.request.formula = "10 * e1";
  const auto scored = files.score(
      "{\"name\": \"e1\", \"passed\": true}\n"
      "{\"name\": \"e1_cost\", \"passed\": true}\n"
      "{\"name\": \"total_cost\", \"passed\": true}\n");
  EXPECT_TRUE(scored.score) << base::render(scored.diagnostics);
  ASSERT_TRUE(scored.diagnostics.has(Code::hidden_result_name)) << base::render(scored.diagnostics);
  EXPECT_NE(base::render(scored.diagnostics).find("total_cost"), std::string::npos);
}

struct BadRequestCase {
  const char* name;
  std::function<void(ScoredFiles&)> change;
  const char* lines;
  Code want;
};
class UnscoredResults : public testing::TestWithParam<BadRequestCase> {};

TEST_P(UnscoredResults, HaveNoScore) {
  ScoredFiles files;
  if (GetParam().change) GetParam().change(files);
  const auto scored = files.score(GetParam().lines);
  EXPECT_FALSE(scored.score);
  EXPECT_TRUE(scored.diagnostics.has(GetParam().want)) << base::render(scored.diagnostics);
}

INSTANTIATE_TEST_SUITE_P(
    ScoreResults, UnscoredResults,
    testing::Values(BadRequestCase{"nothing", nullptr, "", Code::no_results},
                    BadRequestCase{"broken_line", nullptr, "{\n", Code::bad_result_line},
                    BadRequestCase{"bad_formula",
                                   [](ScoredFiles& files) { files.request.formula = "1 +"; },
                                   "{\"name\": \"a\", \"passed\": true}\n", Code::syntax},
                    BadRequestCase{"missing_suite",
                                   [](ScoredFiles& files) { files.request.suite = "/none.yaml"; },
                                   "{\"name\": \"a\", \"passed\": true}\n", Code::cannot_read}),
    [](const auto& row) { return row.param.name; });

TEST(ScoreResults, AMissingFileIsSaid) {
  ScoreRequest request;
  request.results = "/no/such/results";
  const auto scored = score_results(request);
  EXPECT_FALSE(scored.score);
  EXPECT_EQ(all_codes(scored.diagnostics), Found{Code::cannot_read});
}

}  // namespace
}  // namespace vibe::app
