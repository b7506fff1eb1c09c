#include "fitness/rubric.h"

#include <gtest/gtest.h>

#include "base/yaml.h"
#include "fitness/rubric_schema.h"
#include "fitness/rubrics.h"
#include "fitness/signals.h"
#include "suite/expectations.h"

namespace vibe::fitness {
namespace {

using vibe::test::case_folder, vibe::test::case_names;

const std::vector<std::string>& list_of(const Words& words, WordList list) {
  return words.lists()[static_cast<std::size_t>(list)];
}

class RubricCase : public testing::TestWithParam<std::string> {};

TEST_P(RubricCase, ShowsExactlyItsDiagnostics) {
  const auto path = case_folder("rubric") / (GetParam() + ".yaml");
  const std::string yaml = vibe::test::read_text(path);
  base::Diagnostics found;
  const auto rubric = read_rubric(base::make_source(path.string(), yaml), found);
  EXPECT_EQ(rubric.has_value(), !found.failed());
  const auto expected = vibe::test::expectations_in(yaml);
  EXPECT_EQ(expected.empty(), GetParam().starts_with("ok_"));
  vibe::test::compare(expected, found, path.string());
  for (const auto& diagnostic : found.all()) EXPECT_FALSE(base::render(diagnostic).empty());
  if (rubric) {
    EXPECT_EQ(rubric->text, yaml);
  }
}

INSTANTIATE_TEST_SUITE_P(Fail, RubricCase, testing::ValuesIn(case_names("fail_", "rubric")),
                         [](const auto& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(Ok, RubricCase, testing::ValuesIn(case_names("ok_", "rubric")),
                         [](const auto& test) { return test.param; });

TEST(DefaultRubric, SaysEverything) {
  const auto document =
      base::parse_yaml(base::make_source("default", std::string(default_rubric_text())));
  ASSERT_TRUE(document);
  const base::YamlNode& root = document->root();
  for (const Field& field : kRubricFields) {
    if (field.name == "add") continue;
    EXPECT_NE(root.find(field.name), nullptr) << field.name;
  }
  for (const Field& task : kExpectedFields)
    for (const Field& field : kTaskFields)
      EXPECT_NE(root.find("expected")->find(task.name)->find(field.name), nullptr) << task.name;
  for (const Field& field : kErrorsFields)
    EXPECT_NE(root.find("errors")->find(field.name), nullptr) << field.name;
  for (const Field& field : kWordsFields)
    EXPECT_NE(root.find("words")->find(field.name), nullptr) << field.name;
  for (const Field& field : kAggregationFields)
    EXPECT_NE(root.find("aggregation")->find(field.name), nullptr) << field.name;
  for (const Field& field : kDecisionFields)
    EXPECT_NE(root.find("decision")->find(field.name), nullptr) << field.name;
}

TEST(DefaultRubric, IsThatOfTheDocumentation) {
  const Rubric& rubric = default_rubric();
  EXPECT_EQ(rubric.name, "default");
  EXPECT_EQ(rubric.text, default_rubric_text());
  EXPECT_EQ(rubric.expected_of(Complexity::simple).seconds, 30);
  EXPECT_EQ(rubric.expected_of(Complexity::medium).calls, 15);
  EXPECT_EQ(rubric.expected_of(Complexity::complex).seconds, 300);
  EXPECT_EQ(rubric.most_errors, 10);
  EXPECT_EQ(rubric.efficiency, EfficiencyBy::time);
  EXPECT_EQ(rubric.undefined, OnUndefined::rescale);
  for (const HeuristicRow& row : heuristics())
    EXPECT_EQ(rubric.weight(row.id), row.weight) << row.name;
  ASSERT_TRUE(rubric.sum);
  EXPECT_EQ(rubric.sum->factor, 100);
  EXPECT_EQ(rubric.sum->digits, 2);
  std::vector<double> weights;
  for (const auto& term : rubric.sum->terms) weights.push_back(term.weight);
  EXPECT_EQ(weights, (std::vector{0.35, 0.25, 0.20, 0.15, 0.05}));
  EXPECT_EQ(rubric.aggregation.trim, 0.1);
  EXPECT_EQ(rubric.aggregation.weights, (std::vector{1.0, 0.9, 0.8, 0.7, 0.6}));
  EXPECT_EQ(rubric.decision.significant, 5);
  EXPECT_EQ(rubric.decision.tolerated, -3);
  EXPECT_EQ(rubric.decision.exploration, 0.2);
  for (const auto& list : rubric.words.lists()) EXPECT_FALSE(list.empty());
  EXPECT_NE(rubric.words.errors().find("Error: no"), nullptr);
  EXPECT_EQ(rubric.words.errors().find("no Error: here"), nullptr);
  EXPECT_NE(rubric.words.errors().find("sh: jest: command not found"), nullptr);
}

struct GradeCase {
  double score;
  const char* grade;
  const char* meaning;
};

TEST(DefaultRubric, GradesByTheRoundedScore) {
  const GradeCase kCases[] = {
      {100, "A+", "Excellent - rare mutation needed"},
      {90, "A+", "Excellent - rare mutation needed"},
      {89.995, "A+", "Excellent - rare mutation needed"},
      {89.99, "A", "Very good - minor improvements"},
      {80, "A", "Very good - minor improvements"},
      {79.99, "B", "Good - room for improvement"},
      {69.99, "C", "Average - mutation recommended"},
      {59.99, "D", "Below average - mutation required"},
      {50, "D", "Below average - mutation required"},
      {49.99, "F", "Poor - consider rollback"},
      {-3, "F", "Poor - consider rollback"},
  };
  for (const auto& one : kCases) {
    EXPECT_EQ(default_rubric().grade_of(one.score).name, one.grade) << one.score;
    EXPECT_EQ(default_rubric().grade_of(one.score).meaning, one.meaning) << one.score;
  }
}

TEST(Rubric, AFileSaysOnlyWhatItChanges) {
  const Rubric rubric = rubric_of(
      "name: mine\nexpected: {medium: {seconds: 600}}\nefficiency: tools\nmost_errors: 20\n"
      "weights: {structure: {headers: 0.2, lists: 0.5}}\ndecision: {tolerated: -1}\n");
  EXPECT_EQ(rubric.name, "mine");
  EXPECT_EQ(rubric.expected_of(Complexity::medium).seconds, 600);
  EXPECT_EQ(rubric.expected_of(Complexity::medium).calls, 15);
  EXPECT_EQ(rubric.expected_of(Complexity::simple).seconds, 30);
  EXPECT_EQ(rubric.efficiency, EfficiencyBy::tools);
  EXPECT_EQ(rubric.most_errors, 20);
  EXPECT_EQ(rubric.weight(Heuristic::headers), 0.2);
  EXPECT_EQ(rubric.weight(Heuristic::code_blocks), 0.3);
  EXPECT_EQ(rubric.weight(Heuristic::syntax), 0.4);
  EXPECT_EQ(rubric.decision.tolerated, -1);
  EXPECT_EQ(rubric.decision.significant, 5);
  EXPECT_EQ(rubric.words.lists(), default_rubric().words.lists());
  EXPECT_EQ(rubric.program.score().text, default_rubric().program.score().text);
  EXPECT_EQ(rubric.grades.size(), 6u);
}

TEST(Rubric, AListTakesThePlaceOfTheDefaultOne) {
  const Rubric rubric = rubric_of("words: {placeholders: [XXX]}\nerrors: {anywhere: [oh no]}\n");
  EXPECT_EQ(list_of(rubric.words, WordList::placeholders), std::vector<std::string>{"XXX"});
  EXPECT_EQ(list_of(rubric.words, WordList::refusals),
            list_of(default_rubric().words, WordList::refusals));
  EXPECT_NE(rubric.words.errors().find("then: Oh No"), nullptr);
  EXPECT_EQ(rubric.words.errors().find("sh: jest: command not found"), nullptr);
  EXPECT_NE(rubric.words.errors().find("error: still told"), nullptr);
}

TEST(Rubric, AddGoesOnWithAList) {
  const Rubric rubric = rubric_of(
      "words: {placeholders: [XXX]}\n"
      "add: {placeholders: [YYY, XXX], next_steps: [before you merge], line_start: [npm ERR!]}\n");
  EXPECT_EQ(list_of(rubric.words, WordList::placeholders),
            (std::vector<std::string>{"XXX", "YYY"}));
  EXPECT_EQ(list_of(rubric.words, WordList::next_steps).size(),
            list_of(default_rubric().words, WordList::next_steps).size() + 1);
  EXPECT_EQ(list_of(rubric.words, WordList::next_steps).back(), "before you merge");
  EXPECT_NE(rubric.words.errors().find("npm ERR! code 1"), nullptr);
  EXPECT_NE(rubric.words.errors().find("error: still told"), nullptr);
}

TEST(Rubric, TheDefaultFormulaGoesWithOwnMetrics) {
  const Rubric rubric = rubric_of("metrics: {care: 1 - error_rate}\n");
  EXPECT_EQ(rubric.program.formulas.size(), 2u);
  EXPECT_TRUE(rubric.sum);
}

TEST(Rubric, TheExampleIsValidWithoutAWord) {
  const std::string path = std::string(VIBE_SOURCE_DIR) + "/examples/rubrics/reviews.yaml";
  base::Diagnostics found;
  EXPECT_TRUE(read_rubric(base::make_source(path, vibe::test::read_text(path)), found));
  EXPECT_TRUE(found.empty()) << render(found);
}

TEST(Rubric, ExamplesOfTheRowsAreValid) {
  for (const Field& field : kRubricFields) {
    base::Diagnostics found;
    EXPECT_TRUE(read_rubric(base::make_source("row", std::string(field.example)), found))
        << field.example << "\n"
        << render(found);
    EXPECT_TRUE(found.empty()) << field.example << "\n" << render(found);
  }
  for (const auto& [section, fields] :
       {std::pair<std::string, std::span<const Field>>{"expected", kExpectedFields},
        {"weights", kWeightsFields},
        {"errors", kErrorsFields},
        {"words", kWordsFields},
        {"add", kAddFields},
        {"aggregation", kAggregationFields},
        {"decision", kDecisionFields}})
    for (const Field& field : fields) {
      const std::string yaml = section + ": {" + std::string(field.example) + "}";
      base::Diagnostics found;
      EXPECT_TRUE(read_rubric(base::make_source("row", yaml), found)) << yaml;
      EXPECT_TRUE(found.empty()) << yaml << "\n" << render(found);
    }
}

TEST(Rubric, AllComplexitiesAndListsHaveTheirKeys) {
  for (std::size_t i = 0; i < kComplexities.size(); ++i)
    EXPECT_EQ(kExpectedFields[i].name, kComplexities[i]);
  EXPECT_EQ(task_type("coding"), TaskType::coding);
  EXPECT_EQ(task_type("Coding"), std::nullopt);
  EXPECT_EQ(complexity("complex"), Complexity::complex);
  EXPECT_EQ(to_string(TaskType::analysis), "analysis");
  EXPECT_EQ(to_string(Complexity::simple), "simple");
}

}  // namespace
}  // namespace vibe::fitness
