// Runs as people read them.
#include "report/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/score.h"

namespace vibe::report {

namespace {

using score::ResultStatus;
using score::RunStatus;
using testing::HasSubstr;
using testing::Not;

score::Result result_of_repeat(std::string name, ResultStatus status, std::uint32_t repeat = 0) {
  score::Result out;
  out.eval_name = std::move(name);
  out.repeat = repeat;
  out.status = status;
  out.latency = 1.25;
  out.cost = 0.001;
  out.prompt = "What is 2+2?";
  out.response = "five\n\nor six";
  return out;
}

score::Run scored_run(std::string id, std::string model) {
  score::Run out;
  out.id = std::move(id);
  out.suite_name = "weighted";
  out.model = std::move(model);
  out.status = RunStatus::completed;
  out.results = 2;
  out.passed = 1;
  out.score = 45.234;
  out.score_formula = "success_pct";
  out.total_cost = 0.0177;
  out.duration = 2.5;
  return out;
}

TEST(EvalList, ShowsEachEvalWithItsFigures) {
  const std::vector<score::Result> results{result_of_repeat("sum", ResultStatus::passed)};
  EXPECT_EQ(eval_list(results, false, {}), "PASS  sum    1.25 s    $0.0010\n");
}

TEST(EvalList, SaysWhatWasWrong) {
  auto failed = result_of_repeat("sum", ResultStatus::failed);
  failed.checks = {{"match", score::Verdict::fail, "Pattern \"*4*\" not found in response", {}}};
  const auto text = eval_list(std::vector{failed}, false, {});
  EXPECT_THAT(text, HasSubstr("FAIL  sum"));
  EXPECT_THAT(text, HasSubstr("      - match: Pattern \"*4*\" not found in response\n"));
  EXPECT_THAT(text, HasSubstr("      response: five  or six\n"));
}

TEST(EvalList, PutsRepeatsTogether) {
  const std::vector<score::Result> results{result_of_repeat("sum", ResultStatus::passed, 0),
                                           result_of_repeat("sum", ResultStatus::failed, 1)};
  const auto text = eval_list(results, false, {});
  EXPECT_THAT(text, HasSubstr("FAIL  sum    1.25 s    $0.0010  1 of 2 passed\n"));
  EXPECT_THAT(text, HasSubstr("      repeat 2:\n"));
  EXPECT_THAT(text, Not(HasSubstr("repeat 1:")));
}

TEST(EvalList, QuietLeavesOutWhatPassed) {
  const std::vector<score::Result> results{result_of_repeat("sum", ResultStatus::passed),
                                           result_of_repeat("product", ResultStatus::error)};
  const auto text = eval_list(results, true, {});
  EXPECT_THAT(text, Not(HasSubstr("sum")));
  EXPECT_THAT(text, HasSubstr("ERROR product"));
}

TEST(EvalList, ControlCharactersDoNotReachTheTerminal) {
  auto hostile = result_of_repeat("s\x1b[31mum", ResultStatus::failed);
  hostile.response = "\x1b]0;title\x07";
  hostile.error = "\x1b[2J";
  hostile.checks = {{"match", score::Verdict::fail, "\x1b[31m", {}}};
  EXPECT_THAT(eval_list(std::vector{hostile}, false, {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(responses(std::vector{hostile}, false), Not(HasSubstr("\x1b")));
}

TEST(Responses, ShowTextsInFull) {
  EXPECT_EQ(responses(std::vector{result_of_repeat("sum", ResultStatus::passed, 1)}, false),
            "--- sum, repeat 2 ---\n"
            "prompt:\n    What is 2+2?\n"
            "response:\n    five\n\n    or six\n");
}

TEST(Responses, QuietLeavesOutWhatPassed) {
  EXPECT_EQ(responses(std::vector{result_of_repeat("sum", ResultStatus::passed)}, true), "");
}

TEST(RunTable, ShowsARunInALine) {
  const auto text = run_table(std::vector{scored_run("01234567-89ab-7cde", "exec:cat")}, 0, {});
  EXPECT_THAT(text, HasSubstr("01234567-89ab  weighted  exec:cat  completed  45.23          50.0%  "
                              "$0.0177  2.50 s  just now\n"));
}

TEST(RunTable, ShowsHowSureTheScoreIs) {
  auto run = scored_run("01234567-89ab-7cde", "exec:cat");
  run.certainty = score::Certainty{};
  run.certainty->score.rerun = score::Interval{40, 50};
  EXPECT_THAT(run_table(std::vector{run}, 0, {}), HasSubstr("45.23  40.00 – 50.00    50.0%"));
  run.certainty->score.other_evals = score::Interval{30, 60};
  EXPECT_THAT(run_table(std::vector{run}, 0, {}), HasSubstr("45.23  30.00 – 60.00    50.0%"));
}

TEST(RunTable, TellsRunsApartThatBeganTogether) {
  const auto text = run_table(
      std::vector{scored_run("01234567-89ab-7cde", "a"), scored_run("01234567-89ab-7cff", "b")}, 0,
      {});
  EXPECT_THAT(text, HasSubstr("01234567-89ab-7cd "));
  EXPECT_THAT(text, HasSubstr("01234567-89ab-7cf "));
}

TEST(RunTable, AnUnknownFigureIsNotZero) {
  auto unknown = scored_run("01234567-89ab-7cde", "a");
  unknown.score.reset();
  unknown.total_cost.reset();
  unknown.duration.reset();
  unknown.results = 0;
  EXPECT_THAT(run_table(std::vector{unknown}, 0, {}),
              HasSubstr("completed    N/A            N/A   N/A   N/A  just now"));
}

TEST(Comparison, MarksTheBestOfEachColumn) {
  auto better = scored_run("1", "better"), cheaper = scored_run("2", "cheaper");
  better.score = 50;
  cheaper.total_cost = 0.001;
  const auto text = comparison(std::vector{better, cheaper}, {});
  EXPECT_THAT(text, HasSubstr("50.00*"));
  EXPECT_THAT(text, HasSubstr("45.23 "));
  EXPECT_THAT(text, HasSubstr("$0.0010*"));
  EXPECT_THAT(text, HasSubstr("$0.0177 "));
}

TEST(ScoreOf, GivesWhatWasStored) {
  auto stored = scored_run("1", "a");
  stored.metrics = {{"success_pct", "", 50.0, ""}, {"total_cost", "", std::nullopt, ""}};
  const auto text = summary(score_of(stored), {}, {});
  EXPECT_TRUE(
      text.starts_with("=== Run Summary ===\n"
                       "Score: 45.23 (formula: success_pct)\n"
                       "Success Rate: 50.0%\n"
                       "Total Cost: N/A\n"))
      << text;
}

TEST(ScoreOf, SaysThatARunIsNotFinished) {
  auto running = scored_run("1", "a");
  running.status = RunStatus::running;
  running.score.reset();
  EXPECT_EQ(score_line(score_of(running)), "Score: N/A (the run is not finished)");
}

TEST(RunFooter, NamesTheRecording) {
  auto replayed = scored_run("0123", "openai/gpt-4o-mini");
  EXPECT_THAT(run_footer(replayed), HasSubstr("Model: openai/gpt-4o-mini\n"));
  replayed.source = "replay:answers.jsonl";
  EXPECT_THAT(run_footer(replayed), HasSubstr("gpt-4o-mini (recorded answers: answers.jsonl)\n"));
  replayed.source = "odd";  // of another version of the program
  EXPECT_THAT(run_footer(replayed), HasSubstr("Model: openai/gpt-4o-mini\n"));
}

TEST(PageLine, SaysHowManyThereAre) {
  store::RunPage page;
  page.runs.resize(2);
  page.total = 3;
  EXPECT_EQ(page_line(page), "");
  page.next = "cd0.1";
  EXPECT_EQ(page_line(page), "\n2 of 3 runs; for the next page, add `--after cd0.1`\n");
  page.total = store::kMostCounted;
  EXPECT_THAT(page_line(page), HasSubstr("\n2 of 10000 or more runs; "));
}

struct TrendCase {
  const char* name;
  std::vector<std::optional<double>> scores;
  const char* want;
};
class TrendLine : public testing::TestWithParam<TrendCase> {};
TEST_P(TrendLine, Gives) { EXPECT_EQ(trend_line("sums", GetParam().scores, 6), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(
    Report, TrendLine,
    testing::Values(TrendCase{"first_and_last", {12, 20, 45.23}, "sums    ▁▃█  12.00 → 45.23\n"},
                    TrendCase{"one", {12}, "sums    ▅  12.00\n"},
                    TrendCase{
                        "last_that_is_known", {1, 2, std::nullopt}, "sums    ▁█   1.00 → 2.00\n"},
                    TrendCase{"none", {std::nullopt}, ""}),
    [](const auto& row) { return row.param.name; });

struct AgoCase {
  const char* name;
  score::Millis seconds;
  const char* want;
};
class Ago : public testing::TestWithParam<AgoCase> {};
TEST_P(Ago, Gives) { EXPECT_EQ(ago(0, GetParam().seconds * 1000), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Report, Ago,
                         testing::Values(AgoCase{"now", 59, "just now"},
                                         AgoCase{"minutes", 60, "1 min ago"},
                                         AgoCase{"hours", 7200, "2 h ago"},
                                         AgoCase{"days", 86400 * 29, "29 d ago"},
                                         AgoCase{"a_date", 86400 * 30, "1970-01-01"},
                                         AgoCase{"the_future", -5, "just now"}),
                         [](const auto& row) { return row.param.name; });

}  // namespace

}  // namespace vibe::report
