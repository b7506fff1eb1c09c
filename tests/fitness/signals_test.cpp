#include "fitness/signals.h"

#include <gtest/gtest.h>

#include "fitness/findings.h"

namespace vibe::fitness {
namespace {

Signals measured(const trace::Execution& execution, const AnswerFindings& answer = {},
                 const Task& task = {}, const Rubric& rubric = default_rubric()) {
  return measure(execution, answer, task, rubric);
}

std::optional<double> of(const Signals& signals, Signal id) { return value_of(signals, id).value; }
std::string why(const Signals& signals, Signal id) { return value_of(signals, id).why; }
std::vector<std::string> evidence_of(const Signals& signals, Signal id) {
  return value_of(signals, id).evidence;
}

TEST(Signals, ToolSuccessRateIsOfCallsWhoseOutcomeIsKnown) {
  // Read 5 of 5, Write 2 of 2, Bash 2 of 3.
  trace::Execution execution = execution_of({.calls = 10, .succeeded = 9, .failed = 1});
  EXPECT_EQ(of(measured(execution), Signal::tool_success_rate), 0.9);
  execution.tool_calls = 15;
  execution.unknown = 3;
  execution.refused = 2;
  const Signals signals = measured(execution);
  EXPECT_EQ(of(signals, Signal::tool_success_rate), 0.9);
  EXPECT_EQ(evidence_of(signals, Signal::tool_success_rate),
            (std::vector<std::string>{"9 of 10 calls succeeded",
                                      "not counted: 3 calls with an unknown outcome",
                                      "not counted: 2 calls that a person refused"}));
}

TEST(Signals, ToolSuccessRateIsUndefinedWithoutAKnownOutcome) {
  EXPECT_EQ(of(measured({}), Signal::tool_success_rate), std::nullopt);
  EXPECT_EQ(why(measured({}), Signal::tool_success_rate), "no tool calls");
  const Signals signals = measured(execution_of({.calls = 3, .refused = 1, .unknown = 2}));
  EXPECT_EQ(of(signals, Signal::tool_success_rate), std::nullopt);
  EXPECT_EQ(why(signals, Signal::tool_success_rate), "no call with a known outcome");
}

TEST(Signals, FailedCallsAreNamedTheFirstFew) {
  trace::Execution execution =
      execution_of({.calls = 7, .succeeded = 0, .failed = 6, .refused = 1});
  execution.calls.push_back(failed_call("Edit"));
  execution.calls.back().refused = true;
  execution.calls.push_back(failed_call("Bash"));
  execution.calls.back().exit_code = 2;
  execution.calls.back().error = "  make:\n*** no rule\x1b[0m";
  for (int i = 0; i < 5; ++i) execution.calls.push_back(failed_call("Read"));
  const auto found = evidence_of(measured(execution), Signal::tool_success_rate);
  ASSERT_EQ(found.size(), 7u);
  EXPECT_EQ(found[0], "0 of 6 calls succeeded");
  EXPECT_EQ(found[1], "Bash failed with exit code 2: make: *** no rule\xEF\xBF\xBD[0m");
  EXPECT_EQ(found[2], "Read failed");
  EXPECT_EQ(found[5], "and 2 more");
}

struct EfficiencyCase {
  const char* name;
  EfficiencyBy by;
  Complexity complexity;
  std::optional<double> active, duration;
  std::int64_t calls;
  std::optional<double> time, tools, efficiency;
};

class Efficiency : public testing::TestWithParam<EfficiencyCase> {};

TEST_P(Efficiency, IsWhatTheRubricSays) {
  const EfficiencyCase& one = GetParam();
  Rubric rubric = default_rubric();
  rubric.efficiency = one.by;
  trace::Execution execution = execution_of({.calls = one.calls});
  execution.active = one.active;
  execution.duration = one.duration;
  const Signals signals = measured(execution, {}, task_of(TaskType::other, one.complexity), rubric);
  EXPECT_EQ(of(signals, Signal::time_efficiency), one.time);
  EXPECT_EQ(of(signals, Signal::tool_efficiency), one.tools);
  EXPECT_EQ(of(signals, Signal::efficiency), one.efficiency);
}

constexpr auto kTime = EfficiencyBy::time, kTools = EfficiencyBy::tools, kMean = EfficiencyBy::mean;
constexpr auto kSimple = Complexity::simple, kMedium = Complexity::medium,
               kComplex = Complexity::complex;
INSTANTIATE_TEST_SUITE_P(
    Signals, Efficiency,
    testing::Values(
        EfficiencyCase{"the_seed_by_time", kTime, kMedium, 60, 60, 8, 0.5, 1 - 8 / 15.0, 0.5},
        EfficiencyCase{"the_seed_by_tools", kTools, kMedium, 60, 60, 8, 0.5, 1 - 8 / 15.0,
                       1 - 8 / 15.0},
        EfficiencyCase{"mean", kMean, kSimple, 15, 15, 5, 0.5, 0, 0.25},
        EfficiencyCase{"more_than_expected_earns_nothing", kTime, kSimple, 31, 31, 6, 0, 0, 0},
        EfficiencyCase{"idle_hours_do_not_count", kTime, kComplex, 75, 7200, 15, 0.75, 0.5, 0.75},
        EfficiencyCase{
            "the_duration_where_turns_are_not_told", kTime, kComplex, {}, 150, 15, 0.5, 0.5, 0.5},
        EfficiencyCase{"calls_where_there_are_no_times", kTime, kMedium, {}, {}, 3, {}, 0.8, 0.8},
        EfficiencyCase{"time_where_there_are_no_calls", kTools, kMedium, 30, 30, 0, 0.75, {}, 0.75},
        EfficiencyCase{"the_mean_of_what_is_known", kMean, kMedium, {}, {}, 3, {}, 0.8, 0.8},
        EfficiencyCase{"neither_times_nor_calls", kMean, kMedium, {}, {}, 0, {}, {}, {}}),
    [](const auto& test) { return test.param.name; });

TEST(Signals, EfficiencySaysByWhat) {
  trace::Execution execution = execution_of({.calls = 3});
  EXPECT_EQ(evidence_of(measured(execution), Signal::efficiency),
            (std::vector<std::string>{"by calls: 3 calls of the 15 that a medium task may take",
                                      "no times in the log"}));
  execution.active = 60;
  EXPECT_EQ(evidence_of(measured(execution), Signal::efficiency),
            (std::vector<std::string>{
                "by time: 1 min 00 s of the 2 min 00 s that a medium task may take"}));
  EXPECT_EQ(why(measured({}), Signal::efficiency), "no times and no tool calls");
}

TEST(Signals, ErrorsAreCountedByKind) {
  // The seed's example: two failed calls and a retry.
  trace::Execution execution =
      execution_of({.calls = 5, .succeeded = 3, .failed = 2, .api_retries = 1});
  EXPECT_EQ(of(measured(execution), Signal::error_count), 3);
  EXPECT_EQ(of(measured(execution), Signal::error_rate), 0.3);
  execution.repeats = 1;
  execution.corrections = 1;
  execution.other_errors = 1;
  execution.ended_in_error = true;
  AnswerFindings answer;
  answer.error_lines = {"error: one", "error: two"};
  answer.error_line_count = 2;
  const Signals signals = measured(execution, answer);
  EXPECT_EQ(of(signals, Signal::error_count), 9);
  EXPECT_EQ(of(signals, Signal::error_rate), 0.9);
  EXPECT_EQ(evidence_of(signals, Signal::error_count),
            (std::vector<std::string>{
                "2 failed calls", "1 repeat of a failed call", "1 retry by the model's service",
                "1 correction by the user", "1 other error that the log counts",
                "2 lines of the answer that report an error", "1 run that ended in an error",
                "\"error: one\"", "\"error: two\""}));
}

TEST(Signals, ErrorRateIsAtMostOneAndNoErrorIsNoError) {
  EXPECT_EQ(of(measured(execution_of({.calls = 30, .failed = 30})), Signal::error_rate), 1);
  const Signals sound = measured(execution_of({.calls = 1, .succeeded = 1}));
  EXPECT_EQ(of(sound, Signal::error_rate), 0);
  EXPECT_EQ(evidence_of(sound, Signal::error_count), std::vector<std::string>{"none"});
  Rubric rubric = default_rubric();
  rubric.most_errors = 4;
  EXPECT_EQ(
      of(measure(execution_of({.calls = 1, .failed = 1}), {}, {}, rubric), Signal::error_rate),
      0.25);
}

TEST(Signals, ErrorsAreUndefinedWhereNothingWasDone) {
  trace::Execution execution;
  execution.output = " \n";
  for (const Signal id : {Signal::error_count, Signal::error_rate}) {
    EXPECT_EQ(of(measured(execution), id), std::nullopt);
    EXPECT_EQ(why(measured(execution), id), "no tool calls and no answer");
  }
  execution.ended_in_error = true;
  EXPECT_EQ(of(measured(execution), Signal::error_count), 1);
  execution.ended_in_error = false;
  execution.output = "Done.";
  EXPECT_EQ(of(measured(execution), Signal::error_count), 0);
}

TEST(Signals, ARefusedCallIsOneCorrection) {
  const Signals signals =
      measured(execution_of({.calls = 2, .succeeded = 1, .refused = 1, .corrections = 1}));
  EXPECT_EQ(of(signals, Signal::error_count), 1);
  EXPECT_EQ(of(signals, Signal::tool_success_rate), 1);
}

TEST(Signals, OfTheAnswerAreSumsOfWeights) {
  trace::Execution execution;
  execution.output = "an answer";
  const AnswerFindings answer = findings(
      {Heuristic::direct_answer, Heuristic::code, Heuristic::explanation, Heuristic::syntax,
       Heuristic::no_obvious_error, Heuristic::headers, Heuristic::code_blocks});
  const Signals coding = measured(execution, answer, task_of(TaskType::coding));
  EXPECT_EQ(of(coding, Signal::completeness), 0.8);
  EXPECT_EQ(of(coding, Signal::accuracy), 0.7);
  EXPECT_EQ(of(coding, Signal::output_quality), 0.75);
  EXPECT_EQ(of(coding, Signal::structure_score), 0.7);
  // A task that is not coding earns nothing for code.
  const Signals other = measured(execution, answer, task_of(TaskType::question));
  EXPECT_EQ(of(other, Signal::completeness), 0.5);
  EXPECT_EQ(evidence_of(other, Signal::completeness),
            (std::vector<std::string>{"0.3 of 0.3 direct_answer: seen",
                                      "0 of 0.3 code: not a coding task",
                                      "0.2 of 0.2 explanation: seen", "0 of 0.2 next_steps"}));
}

TEST(Signals, OfTheAnswerAreUndefinedWithoutOne) {
  trace::Execution execution;
  execution.output = " \n";
  const Signals signals = measured(execution, findings({Heuristic::headers}));
  for (const Signal id :
       {Signal::completeness, Signal::accuracy, Signal::output_quality, Signal::structure_score}) {
    EXPECT_EQ(of(signals, id), std::nullopt);
    EXPECT_EQ(why(signals, id), "no answer in the log");
  }
}

struct TaskCase {
  const char* name;
  std::optional<TaskType> given;
  const char* logged;
  bool writes, has_program;
  TaskType type;
  const char* from;
};

class TaskOf : public testing::TestWithParam<TaskCase> {};

TEST_P(TaskOf, TakesTheFirstThatSays) {
  const TaskCase& one = GetParam();
  trace::Execution execution;
  execution.task_type = one.logged;
  execution.writes_files = one.writes;
  AnswerFindings answer;
  answer.has_program = one.has_program;
  const Task task = task_of(execution, answer, one.given, std::nullopt);
  EXPECT_EQ(task.type, one.type);
  EXPECT_EQ(task.type_from, one.from);
}

INSTANTIATE_TEST_SUITE_P(
    Signals, TaskOf,
    testing::Values(
        TaskCase{"the_user", TaskType::question, "coding", true, true, TaskType::question,
                 "as given"},
        TaskCase{"the_log", {}, "analysis", true, true, TaskType::analysis, "the log says so"},
        TaskCase{"another_word_of_the_log",
                 {},
                 "chores",
                 true,
                 false,
                 TaskType::coding,
                 "a tool that writes files was called"},
        TaskCase{"a_program",
                 {},
                 "",
                 false,
                 true,
                 TaskType::coding,
                 "the answer has code in a programming language"},
        TaskCase{"nothing",
                 {},
                 "",
                 false,
                 false,
                 TaskType::other,
                 "no file was written, and the answer has no program"}),
    [](const auto& test) { return test.param.name; });

TEST(TaskOf, ComplexityIsNeverGuessed) {
  trace::Execution execution = execution_of({.calls = 500});
  EXPECT_EQ(task_of(execution, {}, {}, {}).complexity, Complexity::medium);
  EXPECT_EQ(task_of(execution, {}, {}, {}).complexity_from, "the default");
  execution.complexity = "simple";
  EXPECT_EQ(task_of(execution, {}, {}, {}).complexity, Complexity::simple);
  EXPECT_EQ(task_of(execution, {}, {}, Complexity::complex).complexity, Complexity::complex);
}

TEST(Signals, AreInTheOrderOfTheirRows) {
  EXPECT_EQ(kSignals[static_cast<std::size_t>(Signal::tool_success_rate)].name,
            "tool_success_rate");
  EXPECT_EQ(kSignals[static_cast<std::size_t>(Signal::efficiency)].name, "efficiency");
  EXPECT_EQ(kSignals[static_cast<std::size_t>(Signal::structure_score)].name, "structure_score");
}

}  // namespace
}  // namespace vibe::fitness
