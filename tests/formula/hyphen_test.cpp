// How runs with hyphens are read, shown by the tokens: names in brackets, the rest as written.
#include <string>

#include <gtest/gtest.h>

#include "formula/token.h"
#include "formula/world.h"

namespace vibe::formula {
namespace {

std::string reading(const Names& names, const std::string& text) {
  base::Diagnostics found;
  std::string out;
  const auto formula = base::whole(base::make_source("formula", text));
  for (const Token& token : tokenize(formula, names, found)) {
    if (token.kind == TokenKind::end) break;
    const std::string part = text.substr(token.span.begin, token.span.end - token.span.begin);
    if (!out.empty()) out += " ";
    switch (token.kind) {
      case TokenKind::word: out += "[" + part + "]"; break;
      case TokenKind::unknown_word: out += "?" + part + "?"; break;
      case TokenKind::function: out += part + "()"; break;
      case TokenKind::invalid: out += "!" + part + "!"; break;
      default: out += part;
    }
  }
  return out;
}

struct ReadingCase {
  const char* name;
  std::vector<std::string> evals;
  const char *formula, *tokens;
};

class Reading : public testing::TestWithParam<ReadingCase> {};

TEST_P(Reading, IsThatOfTheLongestNames) {
  const auto& row = GetParam();
  EXPECT_EQ(reading(names_of(row.evals), row.formula), row.tokens);
}

const std::vector<ReadingCase> kReadings{
    {"run_metrics_subtract", {}, "success_pct-total_cost", "[success_pct] - [total_cost]"},
    {"name_minus_one", {"critical-math"}, "critical-math-1", "[critical-math] - 1"},
    {"full_name", {"critical-math", "critical-math-1"}, "critical-math-1", "[critical-math-1]"},
    {"unknown_whole", {}, "critical-math-1", "?critical-math-1?"},
    {"digit_first", {"3-shot"}, "3-shot", "[3-shot]"},
    {"digit_first_unknown", {}, "3-shot", "3 - ?shot?"},
    {"digit_first_minus", {"shot"}, "3-shot", "3 - [shot]"},
    {"digit_first_both", {"shot", "3-shot"}, "3-shot", "[3-shot]"},
    {"braced_cost", {"2nd-try"}, "{2nd-try}_cost", "[{2nd-try}_cost]"},
    {"bare_cost", {"2nd-try"}, "2nd-try_cost", "[2nd-try_cost]"},
    {"second_try", {"2nd-try"}, "2nd-try", "[2nd-try]"},
    {"second_try_unknown", {"try"}, "2nd-try", "!2nd-try!"},
    {"before_a_call", {"a", "b"}, "a-min(a, b)", "[a] - min() ( [a] , [b] )"},
    {"before_a_call_with_space", {"a"}, "a-min (a)", "[a] - min() ( [a] )"},
    {"call_wins_over_name", {"a", "a-min"}, "a-min(a)", "[a] - min() ( [a] )"},
    {"call_alone", {"min"}, "min(1)", "min() ( 1 )"},
    {"number_before_a_call", {}, "2-abs(1)", "2 - abs() ( 1 )"},
    {"name_of_two_before_a_call", {"a-b"}, "a-b-abs(1)", "[a-b] - abs() ( 1 )"},
    {"two_hyphens_before_a_call", {"a"}, "a--abs(1)", "[a] - - abs() ( 1 )"},
    {"variable_before_parenthesis", {"a-b"}, "a-b(1)", "a-b() ( 1 )"},
    {"not_minus", {"a"}, "not-a", "[not] - [a]"},
    {"not_minus_whole_name", {"a", "not-a"}, "not-a", "[not-a]"},
    {"not_before_parenthesis", {"a"}, "not(a)", "[not] ( [a] )"},
    {"minus_not", {"a"}, "a-not(a)", "[a] - [not] ( [a] )"},
    {"and_between", {"a", "b"}, "a and-b", "[a] [and] - [b]"},
    {"two_minus", {"a", "b"}, "a--b", "[a] - - [b]"},
    {"three_minus", {"a", "b"}, "a---b", "[a] - - - [b]"},
    {"exponent", {"x"}, "x-1e-3", "[x] - 1e-3"},
    {"exponent_then_name", {"x"}, "1e-3-x", "1e-3 - [x]"},
    {"exponent_alone", {}, "2e-3", "2e-3"},
    {"no_exponent", {"x"}, "2e-x", "!2e-x!"},
    {"all_three_names", {"a", "b", "a-b"}, "a-b", "[a-b]"},
    {"spaces_subtract", {"a", "b", "a-b"}, "a - b", "[a] - [b]"},
    {"space_before", {"a", "b", "a-b"}, "a -b", "[a] - [b]"},
    {"space_after", {"a", "b", "a-b"}, "a- b", "[a] - [b]"},
    {"line_break_before", {"a", "b", "a-b"}, "a\n-b", "[a] - [b]"},
    {"braced_total", {"total"}, "{total}_cost", "[{total}_cost]"},
    {"bare_total", {"total"}, "total_cost", "[total_cost]"},
    {"no_backtracking", {"a", "b-x", "a-b"}, "a-b-x", "[a-b] - ?x?"},
    {"longest_first", {"a", "a-b", "a-b-c"}, "a-b-c-d", "[a-b-c] - ?d?"},
    {"longest_twice", {"a-b", "c-d"}, "a-b-c-d", "[a-b] - [c-d]"},
    {"prefix_only_before_hyphens", {"crit"}, "critical-math", "?critical-math?"},
    {"derived", {"a", "a-b"}, "a-b_cost-a_latency", "[a-b_cost] - [a_latency]"},
    {"before_a_dot", {"a"}, "a.5", "?a.5?"},
    {"number_with_a_dot", {"a"}, "a-1.5", "[a] - 1.5"},
    {"number_with_a_dot_first", {"a"}, "1.5-a", "1.5 - [a]"},
    {"prefix_before_a_dot", {"a", "a-1"}, "a-1.5", "[a] - 1.5"},
    {"number_ends_with_a_dot", {"a"}, "5.-a", "5. - [a]"},
    {"several_dots", {"a"}, "1.2.3-a", "!1.2.3! - [a]"},
    {"arithmetic_name", {"1-2"}, "1-2", "1 - 2"},
    {"arithmetic_name_braced", {"1-2"}, "{1-2}", "[{1-2}]"},
    {"date_braced", {"2024-01-05"}, "{2024-01-05}_latency", "[{2024-01-05}_latency]"},
    {"arithmetic_name_and_suffix", {"1-2"}, "1-2_cost", "[1-2_cost]"},
    {"trailing_hyphen", {"x-"}, "x-", "?x? -"},
    {"trailing_hyphen_braced", {"x-"}, "{x-}", "[{x-}]"},
    {"leading_hyphen", {"-x"}, "-x", "- ?x?"},
    {"leading_hyphen_braced", {"-x"}, "-{-x}", "- [{-x}]"},
    {"brace_then_minus", {"a", "b"}, "{a}-b", "[{a}] - [b]"},
    {"brace_cost_then_minus", {"a", "b"}, "{a}_cost-b", "[{a}_cost] - [b]"},
    {"brace_cost_goes_on", {"a"}, "{a}_cost_", "!{a}_cost_!"},
    {"minus_brace", {"a", "b"}, "a-{b}", "[a] - [{b}]"},
    {"minus_parenthesis", {"a"}, "a-(a)", "[a] - ( [a] )"},
    {"case_matters", {"Math"}, "math-Math", "?math-Math?"},
    {"underscores", {"_a", "_"}, "_a-_", "[_a] - [_]"},
};

INSTANTIATE_TEST_SUITE_P(Hyphen, Reading, testing::ValuesIn(kReadings),
                         [](const auto& row) { return row.param.name; });

TEST(Readings, KnowsMetrics) {
  EXPECT_EQ(reading(names_of({"a"}, {"a-q"}), "a-q-a"), "[a-q] - [a]");
}

TEST(Readings, WithoutASuiteAWholeRunIsAName) {
  Names names;
  names.assume_unknown_words_are_evals();
  EXPECT_EQ(reading(names, "a-b"), "?a-b?");
  EXPECT_EQ(reading(names, "2nd-try"), "?2nd-try?");
  EXPECT_EQ(reading(names, "success_pct-a"), "[success_pct] - ?a?");
  EXPECT_EQ(reading(names, "1-2"), "1 - 2");
}

struct OtherCase {
  std::vector<std::string> evals;
  const char *run, *other;
};

TEST(OtherReading, IsShownWhereThereIsOne) {
  const OtherCase cases[] = {
      {{"a", "b", "a-b"}, "a-b", "a - b"},
      {{"a", "b"}, "a-b", ""},
      {{"a-b"}, "a-b", ""},
      {{"a", "b-x", "a-b"}, "a-b-x", "a - b-x"},
      {{"a", "b", "c", "a-b", "b-c"}, "a-b-c", "a - b-c"},
      {{"a", "a-1"}, "a-1", "a - 1"},
      {{"shot", "3-shot"}, "3-shot", "3 - shot"},
      {{"a", "b", "a-b"}, "a--b", ""},
      {{"a", "not-a"}, "not-a", "not - a"},
      {{"and-a", "a"}, "and-a", ""},
  };
  for (const OtherCase& one : cases)
    EXPECT_EQ(other_reading(one.run, names_of(one.evals)), one.other) << one.run;
}

TEST(Numbers, AreReadWhole) {
  for (const char* text : {"0", "12", "1.5", ".5", "5.", "2e-3", "1E+5", "1.e2", ".5e1", "007"})
    EXPECT_TRUE(is_number(text)) << text;
  for (const char* text : {"", ".", "e5", "1e", "1e+", "0x10", "1_0", "1 ", "-1", "+1", "1a",
                           "1.2.3", "nan", "inf", "1e5x"})
    EXPECT_FALSE(is_number(text)) << text;
}

}  // namespace
}  // namespace vibe::formula
