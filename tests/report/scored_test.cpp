#include "report/scored.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vibe::report {

namespace {

using fitness::ScoredExecution;
using testing::HasSubstr;
using testing::Not;

ScoredExecution execution(const std::string& id, std::optional<double> score) {
  ScoredExecution out;
  out.id = id;
  out.agent = {"reviewer", "v2"};
  out.scored_at = 1'794'000'000'000;
  out.execution.id = "session-1";
  out.execution.file = "/logs/a.jsonl";
  out.execution.tool_calls = 10;
  out.execution.failed = 1;
  out.execution.ended = 1'793'999'000'000'000;
  out.execution.notes = {"an odd thing"};
  out.signals[0] = 0.9;
  out.score = score;
  out.grade = score ? "B" : "";
  out.meaning = score ? "good" : "";
  out.error = score ? "" : "no signal is known";
  out.rubric = "default";
  return out;
}

const std::vector<ScoredExecution> kTwo{execution("01a1e228-3a10-7000-8000-000000000001", 78),
                                        execution("01a1e228-3a10-7000-8000-000000000002", {})};

TEST(ScoredTable, HasARowForEach) {
  EXPECT_EQ(
      scored_table(kTwo, 1'794'000'000'000, {false, 160}),
      "Execution                             When        Agent        Session    Calls  Failed "
      " Tools  Output  Effic.  Errors  Struct.  Score  Grade\n"
      "01a1e228-3a10-7000-8000-000000000001  16 min ago  reviewer@v2  session-1     10       1 "
      "  0.90     N/A     N/A     N/A      N/A  78.00  B\n"
      "01a1e228-3a10-7000-8000-000000000002  16 min ago  reviewer@v2  session-1     10       1 "
      "  0.90     N/A     N/A     N/A      N/A    N/A  N/A\n");
}

TEST(ScoredTable, NamesAnAgentThatIsNotKnown) {
  auto one = kTwo[0];
  one.agent = {};
  one.execution.id = "";
  const auto text = scored_table({&one, 1}, 0, {false, 200});
  EXPECT_THAT(text, HasSubstr("(unknown agent)  a.jsonl"));
}

TEST(ScoredDetails, SayEverything) {
  const auto text = scored_details(kTwo[0]);
  EXPECT_THAT(text, HasSubstr("Agent: reviewer@v2\n"));
  EXPECT_THAT(text, HasSubstr("Score: 78.00, grade B: good\n"));
  EXPECT_THAT(text, HasSubstr("  tool_success_rate  0.90\n"));
  EXPECT_THAT(text, HasSubstr("Calls: 10, 1 failed"));
  EXPECT_THAT(text, HasSubstr("Notes:\n  - an odd thing\n"));
  for (const auto& signal : fitness::kSignals) EXPECT_THAT(text, HasSubstr(signal.name));
  EXPECT_THAT(scored_details(kTwo[1]), HasSubstr("Score: none: no signal is known\n"));
}

TEST(ScoredDetails, OfAGradeWithoutAMeaningEndWithIt) {
  auto one = kTwo[0];
  one.meaning = "";
  EXPECT_THAT(scored_details(one), HasSubstr("Score: 78.00, grade B\n"));
  const auto html = scored_html({.executions = {&one, 1}, .total = 1, .about = "", .version = "1"});
  EXPECT_THAT(html, Not(HasSubstr("<p></p>")));
  EXPECT_THAT(html, Not(HasSubstr("<p class=\"wide\"></p>")));
}

// A page may begin anywhere.
TEST(ScoredPart, IsNotSaidToBeTheNewest) {
  const ScoredReport part{.executions = kTwo, .total = 7, .about = "", .version = "1"};
  EXPECT_THAT(scored_markdown(part), HasSubstr("<sub>2 of 7; `vibe get executions` lists all"));
  EXPECT_THAT(scored_html(part), HasSubstr("<span>2 of 7 executions</span>"));
  EXPECT_THAT(scored_html(part), HasSubstr(">Newest shown</p>"));
}

TEST(ScoredHtml, OfNothingSaysSo) {
  EXPECT_THAT(scored_html({.executions = {}, .total = 0, .about = "x", .version = "1"}),
              HasSubstr("There are no executions"));
}

TEST(ScoredHtml, ShowsATrendForEachVersion) {
  std::vector<ScoredExecution> all;
  for (int i = 0; i < 40; ++i) {
    all.push_back(execution("id-" + std::to_string(i), 50 + i));
    all.back().agent.version = "v" + std::to_string(i % 20);
  }
  const auto text = scored_html({.executions = all, .total = 40, .about = "", .version = "1"});
  EXPECT_THAT(text, HasSubstr("<h3><bdi>reviewer@v0</bdi></h3>"));
  EXPECT_THAT(text, HasSubstr("2 executions, 70.00 → 50.00"));  // the oldest first
  EXPECT_THAT(text, HasSubstr("8 older versions are left out"));
  EXPECT_THAT(text, HasSubstr("<span>40 executions</span>"));
  EXPECT_THAT(text, Not(HasSubstr("<script")));
}

TEST(Decisions, AreTold) {
  fitness::DecisionRecord record;
  record.id = "01a1e228-3a10-7000-8000-000000000001";
  record.decision = {true, fitness::Reason::significant_improvement, 70, 78.5, 8.5, 42, {}, 0.91,
                     true};
  record.before = {"reviewer@v1", {70}, {}};
  record.after = {"reviewer@v2", {78.5}, {}};
  const std::vector all{record};
  const auto table = decision_table(all, 0, {false, 200});
  EXPECT_THAT(table, HasSubstr("reviewer@v1  reviewer@v2  70.00 → 78.50   +8.50  accept   "
                               "significant_improvement (within noise)       0.91    42\n"));
}

}  // namespace

}  // namespace vibe::report
