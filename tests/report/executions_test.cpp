// The table and timeline of executions where figures are missing, odd or too large.
#include "report/executions.h"

#include <limits>

#include <gtest/gtest.h>

#include "base/text.h"

namespace vibe::report {

namespace {

using trace::Execution;

// The last line, with one space between its cells.
std::string last_row(const std::vector<Execution>& executions) {
  std::string text =
      execution_report(ExecutionForm::table, executions, {.color = false, .width = 200});
  text.pop_back();
  return base::fold_white_space(text.substr(text.rfind('\n') + 1));
}

Execution known() {
  Execution out;
  out.tool_calls = 3;
  out.succeeded = 2;
  out.failed = 1;
  out.duration = 5;
  out.tokens = trace::Tokens{.input = 100, .output = 20};
  out.cost = 0.5;
  return out;
}

Execution unknown() {
  Execution out;
  out.tool_calls = out.unknown = 2;
  return out;
}

TEST(ExecutionTable, SumsWhatIsKnownOfAll) {
  EXPECT_EQ(last_row({known(), known()}), "2 sessions 6 2 0 0 10.00 s 200 40 $1.0000");
}

TEST(ExecutionTable, MarksSumsThatAreNotKnownOfAll) {
  EXPECT_EQ(last_row({known(), unknown(), unknown()}),
            "3 sessions 7 ≥ 1 0 0 ≥ 5.00 s ≥ 100 ≥ 20 ≥ $0.5000");
}

TEST(ExecutionTable, HasNoSumOfWhatIsNeverKnown) {
  EXPECT_EQ(last_row({unknown(), unknown()}), "2 sessions 4 N/A 0 0 N/A N/A N/A N/A");
}

TEST(ExecutionTable, SumsDoNotOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
  Execution large = known();
  large.tool_calls = large.failed = large.repeats = large.api_retries = large.corrections = kMost;
  large.tokens = trace::Tokens{.input = kMost, .output = kMost, .cache_read = kMost};
  const std::string sum = last_row({large, large, large, large, large});
  EXPECT_TRUE(sum.starts_with("5 sessions 1,000,000,000,000,000,000 ")) << sum;
  EXPECT_EQ(sum.find('-'), std::string::npos) << sum;
}

TEST(ExecutionTable, FailuresAreNotKnownOfRefusalsAndUnknownOutcomesAlone) {
  Execution one;
  one.tool_calls = 3;
  one.refused = 2;
  one.unknown = 1;
  one.file = "log";
  EXPECT_TRUE(last_row({one}).starts_with("log N/A N/A 3 N/A ")) << last_row({one});
  one.refused = 3;
  one.unknown = 0;
  EXPECT_TRUE(last_row({one}).starts_with("log N/A N/A 3 0 ")) << last_row({one});
}

std::string timeline_of(trace::Time start, trace::Time end) {
  Execution one;
  one.started = 1'700'000'000'000'000;
  one.calls.emplace_back().name = "Bash";
  one.calls[0].start = *one.started + start;
  one.calls[0].end = *one.started + end;
  return base::fold_white_space(
      execution_report(ExecutionForm::timelines, std::vector{one}, {.color = false, .width = 100}));
}

TEST(Timeline, NoTimeIsNegative) {
  EXPECT_NE(timeline_of(61'000'000, 66'000'000).find("+0:01:01 Bash 5.00 s"), std::string::npos);
  EXPECT_NE(timeline_of(-5'000'000, 0).find("+0:00:00 Bash 5.00 s"), std::string::npos);
  EXPECT_NE(timeline_of(5'000'000, 0).find("+0:00:05 Bash no result"), std::string::npos);
}

}  // namespace

}  // namespace vibe::report
