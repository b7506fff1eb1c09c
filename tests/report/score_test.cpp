// What a terminal must not be sent stays out of reports.
#include "report/score.h"

#include <gtest/gtest.h>

namespace vibe::report {

namespace {

TEST(Report, ControlCharactersDoNotReachTheTerminal) {
  score::Score score;
  score.value = 1;
  score.formula = "mean(cost, \"\x1b[31m\")";
  score.error = "because of \x1b[31m";
  EXPECT_EQ(summary(score, {}, {}).find('\x1b'), std::string::npos);
  score.value.reset();
  EXPECT_EQ(score_line(score).find('\x1b'), std::string::npos);
}

TEST(Report, TheSummaryBeginsWithFourFixedLines) {
  score::Score score;
  score.value = 45.23;
  score.formula = "success_pct / total_cost";
  for (std::size_t i = 0; i < formula::kRunMetrics.size(); ++i)
    score.run_metrics[i] = formula::kRunMetrics[i].name == "success_pct" ? 80 : 0.0177;
  const std::string text = summary(score, {}, {});
  EXPECT_TRUE(
      text.starts_with("=== Run Summary ===\n"
                       "Score: 45.23 (formula: success_pct / total_cost)\n"
                       "Success Rate: 80.0%\n"
                       "Total Cost: $0.0177\n"))
      << text;
}

}  // namespace

}  // namespace vibe::report
