#include "fitness/score.h"

#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "fitness/decide.h"
#include "fitness/findings.h"
#include "fitness/rubrics.h"
#include "formula/evaluate.h"

namespace vibe::fitness {
namespace {

using Values = std::map<Signal, double>;

// Those that are not given are not known.
Signals signals_of_values(const Values& values) {
  Signals out;
  for (auto& signal : out) signal.why = "not given";
  for (const auto& [id, value] : values) out[static_cast<std::size_t>(id)] = {value, "", {}};
  return out;
}

// The worked example: 10 calls, 9 good; completeness 0.8, accuracy 1; 60 s of 120; 3 errors;
// headers and code.
const Values kWorked{{Signal::tool_success_rate, 0.9},
                     {Signal::output_quality, 0.9},
                     {Signal::efficiency, 0.5},
                     {Signal::error_rate, 0.3},
                     {Signal::structure_score, 0.7}};

Values without(Values values, std::initializer_list<Signal> ids) {
  for (const Signal id : ids) values.erase(id);
  return values;
}

Fitness scored_values(const Values& values, const Rubric& rubric = default_rubric()) {
  return score(signals_of_values(values), rubric);
}

// As it would be were no term left out.
double formula_itself(const Values& values, const Rubric& rubric) {
  std::vector<double> inputs;
  for (const auto& input : rubric.program.inputs)
    inputs.push_back(
        signals_of_values(values)[static_cast<std::size_t>(input.figure - kSignals.data())]
            .value.value_or(formula::kUndefined));
  return formula::Evaluation(rubric.program, inputs).score();
}

TEST(Score, OfTheWorkedExample) {
  const Fitness fitness = scored_values(kWorked);
  EXPECT_EQ(fitness.score, 78.0);
  EXPECT_EQ(fitness.grade, "B");
  EXPECT_EQ(fitness.meaning, "Good - room for improvement");
  EXPECT_EQ(fitness.scale, 1);
  EXPECT_TRUE(notes_of(fitness, default_rubric()).empty());
}

TEST(Score, OfTheWorkedExampleWithoutToolCalls) {
  Signals signals = signals_of_values(without(kWorked, {Signal::tool_success_rate}));
  signals[0].why = "no tool calls";
  const Fitness fitness = score(signals, default_rubric());
  EXPECT_EQ(fitness.score, 71.54);
  EXPECT_EQ(fitness.grade, "B");
  EXPECT_NEAR(fitness.scale, 1 / 0.65, 1e-12);
  EXPECT_EQ(notes_of(fitness, default_rubric()),
            (std::vector<std::string>{"tool_success_rate: n/a (no tool calls)",
                                      "the weights of the other terms are multiplied by 1.5385"}));
}

TEST(Score, OfLittleSaysSo) {
  const Fitness fitness =
      scored_values(without(kWorked, {Signal::tool_success_rate, Signal::output_quality,
                                      Signal::efficiency, Signal::structure_score}));
  EXPECT_EQ(fitness.score, 70);
  EXPECT_EQ(notes_of(fitness, default_rubric()).back(),
            "little is known: the score uses only 15 % of the weights");
}

TEST(Score, OfTheWorkedExampleFromAnExecution) {
  trace::Execution execution =
      execution_of({.calls = 10, .succeeded = 9, .failed = 1, .repeats = 1});
  execution.corrections = 1;
  execution.active = 60;
  execution.output = "an answer";
  const AnswerFindings answer =
      findings({Heuristic::direct_answer, Heuristic::code, Heuristic::explanation,
                Heuristic::syntax, Heuristic::no_obvious_error, Heuristic::follows_instructions,
                Heuristic::headers, Heuristic::code_blocks});
  const auto signals = [&] {
    return measure(execution, answer, task_of(TaskType::coding), default_rubric());
  };
  EXPECT_EQ(score(signals(), default_rubric()).score, 78.0);
  execution.tool_calls = execution.succeeded = execution.failed = 0;
  execution.corrections = 2;  // still three errors
  EXPECT_EQ(score(signals(), default_rubric()).score, 71.54);
}

TEST(Score, TermsHaveTheirPoints) {
  const Fitness fitness = scored_values(kWorked);
  ASSERT_EQ(fitness.terms.size(), 5u);
  EXPECT_EQ(fitness.terms[0].expr, "tool_success_rate");
  EXPECT_EQ(fitness.terms[0].signals, std::vector{Signal::tool_success_rate});
  EXPECT_NEAR(fitness.terms[0].points, 31.5, 1e-9);
  EXPECT_NEAR(fitness.terms[0].most_points, 35, 1e-9);
  EXPECT_EQ(fitness.terms[3].expr, "1 - error_rate");
  EXPECT_EQ(fitness.terms[3].signals, std::vector{Signal::error_rate});
  EXPECT_EQ(fitness.terms[3].value, 0.7);
  EXPECT_NEAR(fitness.terms[3].points, 10.5, 1e-9);
  double sum = 0;
  for (const Term& term : fitness.terms) sum += term.points;
  EXPECT_NEAR(sum, 78, 1e-9);
}

TEST(Score, PointsOfKeptTermsMakeUpForTheOthers) {
  const Fitness fitness =
      scored_values(without(kWorked, {Signal::efficiency, Signal::structure_score}));
  double points = 0, most = 0;
  for (const Term& term : fitness.terms) {
    points += term.points;
    most += term.most_points;
    EXPECT_EQ(term.value.has_value(), term.expr != "efficiency" && term.expr != "structure_score")
        << term.expr;
  }
  EXPECT_NEAR(points, *fitness.score, 0.005);
  EXPECT_NEAR(most, 100, 1e-9);
}

TEST(Score, WithNothingUndefinedIsTheFormulasOwnToTheLastBit) {
  const Rubric rubrics[] = {
      default_rubric(),
      rubric_of(
          "formula: 100 * (0.35 * tool_success_rate + 0.25 * output_quality + 0.4 * efficiency)"),
      rubric_of("formula: 70 * tool_success_rate + 30 * (1 - error_rate) - 10 * structure_score")};
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    Values values;
    for (const auto& [id, value] : kWorked)
      values[id] = static_cast<double>(random() >> 11) * 0x1p-53;
    for (const Rubric& rubric : rubrics) {
      const Fitness fitness = scored_values(values, rubric);
      ASSERT_EQ(fitness.score, formula_itself(values, rubric));
      ASSERT_EQ(fitness.scale, 1);
    }
  }
}

// Leaving a term out is the same as giving it the weighted mean of the others.
TEST(Score, ATermThatIsLeftOutChangesNoMean) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 500; ++round) {
    Values values;
    for (const auto& [id, value] : kWorked)
      values[id] = static_cast<double>(random() >> 11) * 0x1p-53;
    const double rest = 0.25 * values[Signal::output_quality] + 0.20 * values[Signal::efficiency] +
                        0.15 * (1 - values[Signal::error_rate]) +
                        0.05 * values[Signal::structure_score];
    Values filled = values;
    filled[Signal::tool_success_rate] = rest / 0.65;
    ASSERT_NEAR(*scored_values(without(values, {Signal::tool_success_rate})).score,
                *scored_values(filled).score, 0.0101);
  }
}

TEST(Score, IsNoneWhereNothingIsKnown) {
  Signals signals = signals_of_values({});
  const Fitness fitness = score(signals, default_rubric());
  EXPECT_EQ(fitness.score, std::nullopt);
  EXPECT_TRUE(fitness.grade.empty());
  EXPECT_TRUE(fitness.terms.empty());
  EXPECT_EQ(fitness.error,
            "tool_success_rate: n/a (not given), output_quality: n/a (not given), efficiency: n/a "
            "(not given), error_rate: n/a (not given), structure_score: n/a (not given)");
  EXPECT_EQ(fitness.no_score, NoScore::unknown_signal);
  EXPECT_EQ(notes_of(fitness, default_rubric()).back(), "no score");
}

TEST(Score, IsNoneWhereNothingWasDone) {
  trace::Execution execution;
  execution.prompt = "Mend it.";
  const Fitness fitness = score(execution, default_rubric());
  EXPECT_EQ(fitness.score, std::nullopt);
  EXPECT_NE(fitness.error.find("error_rate: n/a (no tool calls and no answer)"), std::string::npos)
      << fitness.error;
}

// By terms, by another shape, and rescaled.
TEST(Score, IsNoneWhereItIsTooLarge) {
  for (const char* formula : {"1e13 * efficiency", "-1e13 * efficiency", "1e13 * sqrt(efficiency)",
                              "1e13 * efficiency + 1 * accuracy"}) {
    const Rubric rubric = rubric_of(std::string("formula: ") + formula);
    const Fitness fitness = scored_values({{Signal::efficiency, 1}}, rubric);
    EXPECT_EQ(fitness.score, std::nullopt) << formula;
    EXPECT_TRUE(fitness.grade.empty());
    EXPECT_TRUE(fitness.terms.empty());
    EXPECT_EQ(fitness.no_score, NoScore::too_large);
    EXPECT_TRUE(fitness.error.starts_with("the score is too large: ")) << fitness.error;
  }
  const Rubric rubric = rubric_of("formula: 1e12 * efficiency");
  EXPECT_EQ(scored_values({{Signal::efficiency, 1}}, rubric).score, kMostScore);
  EXPECT_EQ(scored_values({{Signal::efficiency, 1}}, rubric_of("formula: 2e12 * efficiency")).error,
            "the score is too large: 2e+12");
}

TEST(Score, UndefinedErrorMeansNoScore) {
  const Rubric rubric = rubric_of("undefined: error");
  EXPECT_EQ(scored_values(kWorked, rubric).score, 78.0);
  const Fitness fitness = scored_values(without(kWorked, {Signal::efficiency}), rubric);
  EXPECT_EQ(fitness.score, std::nullopt);
  EXPECT_EQ(fitness.error, "efficiency: n/a (not given)");
}

TEST(Score, DefaultGivesAnUndefinedSignalItsValue) {
  const char* const kFormula =
      "formula: round(100 * (0.5 * default(tool_success_rate, 0.4) + 0.5 * efficiency), 2)\n";
  for (const char* undefined : {"undefined: error\n", "undefined: rescale\n"}) {
    const Fitness fitness =
        scored_values({{Signal::efficiency, 0.8}}, rubric_of(std::string(undefined) + kFormula));
    EXPECT_EQ(fitness.score, 60.0) << undefined;
    EXPECT_EQ(fitness.scale, 1) << undefined;
  }
  // Where another term is left out, the one with a default stays.
  const Fitness fitness = scored_values({}, rubric_of(kFormula));
  EXPECT_EQ(fitness.score, 40.0);
  EXPECT_EQ(fitness.scale, 2);
}

TEST(Score, ATermThatTakesPointsIsNotMadeUpFor) {
  const Rubric rubric =
      rubric_of("formula: 60 * tool_success_rate + 40 * efficiency - 20 * error_rate");
  const Values values{
      {Signal::tool_success_rate, 0.5}, {Signal::efficiency, 1}, {Signal::error_rate, 0.5}};
  EXPECT_EQ(scored_values(values, rubric).score, 60.0);
  EXPECT_EQ(scored_values(without(values, {Signal::error_rate}), rubric).score, 70.0);
  EXPECT_EQ(scored_values(without(values, {Signal::tool_success_rate}), rubric).score, 90.0);
  EXPECT_EQ(scored_values({{Signal::error_rate, 0.5}}, rubric).score, std::nullopt);
}

TEST(Score, ADivisionByZeroIsNoUnknownSignal) {
  const Rubric rubric = rubric_of("formula: 50 * tool_success_rate + 50 * (0.1 / error_rate)");
  const Fitness fitness =
      scored_values({{Signal::tool_success_rate, 1}, {Signal::error_rate, 0}}, rubric);
  EXPECT_EQ(fitness.score, std::nullopt);
  EXPECT_EQ(fitness.error, "division by zero: error_rate is 0 in \"0.1 / error_rate\"");
  EXPECT_EQ(fitness.no_score, NoScore::undefined);
  EXPECT_EQ(notes_of(fitness, rubric), std::vector<std::string>{"no score: " + fitness.error});
}

// Also beside a signal that is not known.
TEST(Score, ADivisionByZeroIsSaid) {
  const Rubric strict =
      rubric_of("undefined: error\nformula: 100 * default(tool_success_rate, 1) / error_count");
  const Fitness fitness = scored_values({{Signal::error_count, 0}}, strict);
  EXPECT_EQ(fitness.error,
            "division by zero: error_count is 0 in \"100 * default(tool_success_rate, 1) / "
            "error_count\"");
  EXPECT_EQ(notes_of(fitness, strict),
            (std::vector<std::string>{"tool_success_rate: n/a (not given)",
                                      "no score: " + fitness.error}));
  const Rubric rescaled = rubric_of("formula: 50 * tool_success_rate + 50 * (0.1 / error_rate)");
  EXPECT_EQ(scored_values({{Signal::error_rate, 0}}, rescaled).error,
            "\"0.1 / error_rate\" has no value");
}

TEST(Score, ThatIsNoneForASignalSaysSoOnce) {
  const Rubric rubric =
      rubric_of("undefined: error\nmetrics: {care: 1 - error_rate}\nformula: 100 * care");
  const Fitness fitness = scored_values({}, rubric);
  EXPECT_EQ(notes_of(fitness, rubric),
            (std::vector<std::string>{"error_rate: n/a (not given)", "no score"}));
}

TEST(Score, SignalsOfMetricsCountAsTheTerms) {
  const Rubric rubric = rubric_of(
      "metrics: {care: 1 - error_rate, both: (care + efficiency) / 2}\n"
      "formula: round(100 * (0.5 * both + 0.5 * output_quality), 2)");
  const Fitness fitness =
      scored_values({{Signal::output_quality, 0.4}, {Signal::error_rate, 0}}, rubric);
  EXPECT_EQ(fitness.score, 40.0);
  ASSERT_EQ(fitness.terms.size(), 2u);
  EXPECT_EQ(fitness.terms[0].signals, (std::vector{Signal::efficiency, Signal::error_rate}));
  EXPECT_EQ(fitness.terms[0].value, std::nullopt);
}

TEST(Score, MetricsThatUseEachOtherManyTimesCostNothing) {
  std::string yaml = "metrics:\n  m0: efficiency\n";
  for (int i = 1; i < 64; ++i) {
    const std::string before = "m" + std::to_string(i - 1);
    yaml += "  m" + std::to_string(i) + ": " + before + " / 2 + " + before + " / 2\n";
  }
  const Rubric rubric = rubric_of(yaml + "formula: 100 * m63\n");
  EXPECT_EQ(scored_values({{Signal::efficiency, 0.25}}, rubric).score, 25.0);
  EXPECT_EQ(scored_values({}, rubric).error, "efficiency: n/a (not given)");
}

TEST(Score, AnotherShapeHasNoTermsButItsTree) {
  const Rubric rubric = rubric_of("undefined: error\nformula: 100 * efficiency * (1 - error_rate)");
  const Fitness fitness =
      scored_values({{Signal::efficiency, 0.5}, {Signal::error_rate, 0.5}}, rubric);
  EXPECT_EQ(fitness.score, 25.0);
  EXPECT_TRUE(fitness.terms.empty());
  EXPECT_FALSE(fitness.explanation.children.empty());
}

TEST(Score, AShapeThatCannotBeRescaledHasNoScore) {
  const Rubric rubric = rubric_of("formula: 100 * efficiency * tool_success_rate");
  const Fitness fitness = scored_values({{Signal::efficiency, 0.5}}, rubric);
  EXPECT_EQ(fitness.score, std::nullopt);
  EXPECT_EQ(fitness.error, "tool_success_rate: n/a (not given)");
}

TEST(Score, LooksAtTheAnswerOfTheExecution) {
  trace::Execution execution = execution_of({.calls = 2, .succeeded = 2});
  execution.active = 12;
  const Fitness without_answer = score(execution, default_rubric());
  EXPECT_FALSE(value_of(without_answer.signals, Signal::output_quality).value);
  EXPECT_TRUE(without_answer.score);
  execution.output = "The total of an empty cart is now 0, as the test wants it.";
  const Fitness with_answer = score(execution, default_rubric(), {TaskType::question, {}});
  EXPECT_TRUE(value_of(with_answer.signals, Signal::output_quality).value);
  EXPECT_EQ(with_answer.task.type_from, "as given");
}

struct ShapeCase {
  const char* name;
  const char* formula;
  std::vector<double> weights;  // none: another shape
  double factor = 1;
  std::optional<double> digits = {};
};

class Shape : public testing::TestWithParam<ShapeCase> {};

TEST_P(Shape, IsRecognised) {
  base::Diagnostics found;
  const auto program =
      formula::compile(formula::Names(std::span<const formula::Figure>(kSignals)), {},
                       base::whole(base::make_source("f", GetParam().formula)), found);
  ASSERT_TRUE(program) << render(found);
  const auto sum = weighted_sum(program->score().tree);
  ASSERT_EQ(sum.has_value(), !GetParam().weights.empty());
  if (!sum) return;
  std::vector<double> weights;
  for (const auto& term : sum->terms) weights.push_back(term.weight);
  EXPECT_EQ(weights, GetParam().weights);
  EXPECT_EQ(sum->factor, GetParam().factor);
  EXPECT_EQ(sum->digits, GetParam().digits);
}

INSTANTIATE_TEST_SUITE_P(
    Score, Shape,
    testing::Values(
        ShapeCase{"one_term", "100 * efficiency", {100}},
        ShapeCase{"a_name_alone", "efficiency", {1}},
        ShapeCase{"a_sum", "2 * efficiency + 3 * accuracy", {2, 3}},
        ShapeCase{"numbers_behind", "efficiency * 2 + (1 - error_rate) * 3", {2, 3}},
        ShapeCase{"names_without_numbers", "efficiency + 2 * accuracy", {1, 2}},
        ShapeCase{"calls", "min(efficiency, 0.5) + 2 * max(accuracy, 0.1)", {1, 2}},
        ShapeCase{"a_factor", "100 * (0.5 * efficiency + 0.5 * accuracy)", {0.5, 0.5}, 100},
        ShapeCase{"a_factor_behind", "(efficiency + accuracy) * 50", {1, 1}, 50},
        ShapeCase{
            "rounded", "round(100 * (0.5 * efficiency + 0.5 * accuracy), 1)", {0.5, 0.5}, 100, 1},
        ShapeCase{"rounded_to_whole_numbers", "round(100 * efficiency)", {100}, 1, 0},
        ShapeCase{"subtracted", "2 * efficiency - 3 * error_rate - accuracy", {2, -3, -1}},
        ShapeCase{"signs", "-2 * efficiency + -(3 * accuracy) - -4 * error_rate", {-2, -3, 4}},
        ShapeCase{"products_of_numbers", "100 * 0.5 * efficiency + 2 * accuracy", {50, 2}},
        ShapeCase{
            "a_sum_as_a_term", "0.5 * (efficiency + accuracy) + 0.5 * completeness", {0.5, 0.5}},
        ShapeCase{"a_constant", "1 + 2 * efficiency", {}},
        ShapeCase{"a_bare_difference", "0.5 * efficiency + (1 - error_rate)", {}},
        ShapeCase{"a_product_of_signals", "100 * efficiency * accuracy", {}},
        ShapeCase{"a_quotient", "efficiency / 2 + accuracy / 2", {}},
        ShapeCase{"a_power", "(0.5 * efficiency + 0.5 * accuracy) ^ 2", {}}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace vibe::fitness
