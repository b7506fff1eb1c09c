#include "formula/names.h"

#include <string>

#include <gtest/gtest.h>

#include "formula/world.h"

namespace vibe::formula {
namespace {

struct Declaration {
  std::string name;
  bool metric = false;
};

struct NamesCase {
  const char* name;
  std::vector<Declaration> declared;
  std::string found;  // the codes and messages
};

class CheckNames : public testing::TestWithParam<NamesCase> {};

TEST_P(CheckNames, Finds) {
  // Each name on a line of its own.
  std::string text;
  for (const auto& d : GetParam().declared) text += d.name + "\n";
  const auto source = base::make_source("suite.yaml", text);
  std::vector<Declared> declared;
  std::uint32_t begin = 0;
  for (const auto& d : GetParam().declared) {
    const auto end = begin + static_cast<std::uint32_t>(d.name.size());
    declared.push_back({d.name, {source, {begin, end}}, d.metric});
    begin = end + 1;
  }
  base::Diagnostics out;
  check_names(declared, out);
  std::string found;
  for (const auto& d : out.all()) {
    found += std::to_string(source->position(d.span.begin).line) + " " + to_string(d.code) + " " +
             d.message + "\n";
    EXPECT_FALSE(d.hint.empty());
  }
  EXPECT_EQ(found, GetParam().found);
}

const std::vector<NamesCase> kNames{
    {"good",
     {{"math"}, {"critical-math"}, {"3-shot"}, {"2nd-try"}, {"_x"}, {"A1"}, {"q", true}},
     ""},
    {"functions_and_columns", {{"median"}, {"latency"}, {"if"}, {"tag"}}, ""},
    {"longest", {{std::string(128, 'a')}}, ""},
    {"too_long",
     {{std::string(129, 'a')}},
     "1 E0306 the eval name is 129 bytes long; the limit is 128\n"},
    {"empty",
     {{""}, {"", true}},
     "1 E0306 the eval name is empty\n2 E0306 the metric name is empty\n"},
    {"space",
     {{"a b"}},
     "1 E0306 the eval name `a b` contains characters that are not allowed in a name\n"},
    {"dot",
     {{"a.b", true}},
     "1 E0306 the metric name `a.b` contains characters that are not allowed in a name\n"},
    {"not_ascii",
     {{"prüfung"}},
     "1 E0306 the eval name `prüfung` contains characters that are not allowed in a name\n"},
    {"number", {{"42"}}, "1 E0306 the eval name `42` is a number\n"},
    {"number_with_exponent",
     {{"1e5"}, {"1e-5"}},
     "1 E0306 the eval name `1e5` is a number\n2 E0306 the eval name `1e-5` is a number\n"},
    {"duplicate", {{"a"}, {"b"}, {"a"}}, "3 E0307 the name `a` is taken by the eval on line 1\n"},
    {"three_times",
     {{"a"}, {"a"}, {"a"}},
     "2 E0307 the name `a` is taken by the eval on line 1\n3 E0307 the name `a` is taken by the "
     "eval on line 1\n"},
    {"metric_takes_an_evals_name",
     {{"a"}, {"a", true}},
     "2 E0307 the name `a` is taken by the eval on line 1\n"},
    {"eval_takes_a_metrics_name",
     {{"a", true}, {"a"}},
     "2 E0307 the name `a` is taken by the metric on line 1\n"},
    {"case_differs", {{"a"}, {"A"}}, ""},
    {"run_metric",
     {{"success_pct"}, {"total_cost", true}},
     "1 E0308 `success_pct` is a run-wide metric and cannot be the name of an eval\n"
     "2 E0308 `total_cost` is a run-wide metric and cannot be the name of a metric\n"},
    {"operator",
     {{"and"}, {"or"}, {"not", true}},
     "1 E0308 `and` is an operator and cannot be the name of an eval\n"
     "2 E0308 `or` is an operator and cannot be the name of an eval\n"
     "3 E0308 `not` is an operator and cannot be the name of a metric\n"},
    {"derived",
     {{"math"}, {"math_latency"}, {"math_cost"}},
     "2 E0309 formulas use the name `math_latency` for the latency of eval `math`\n"
     "3 E0309 formulas use the name `math_cost` for the cost of eval `math`\n"},
    {"derived_first",
     {{"math_cost"}, {"math"}},
     "1 E0309 formulas use the name `math_cost` for the cost of eval `math`\n"},
    {"derived_metric",
     {{"math"}, {"math_cost", true}},
     "2 E0309 formulas use the name `math_cost` for the cost of eval `math`\n"},
    {"metrics_have_no_derived", {{"q", true}, {"q_cost"}}, ""},
    {"suffix_alone", {{"_cost"}, {"_latency"}}, ""},
    {"awkward",
     {{"-x"}, {"x-"}, {"1-2"}, {"2024-01-05"}, {"-"}},
     "1 W0352 in a formula, `-x` must be written `{-x}`\n"
     "2 W0352 in a formula, `x-` must be written `{x-}`\n"
     "3 W0352 in a formula, `1-2` must be written `{1-2}`\n"
     "4 W0352 in a formula, `2024-01-05` must be written `{2024-01-05}`\n"
     "5 W0352 in a formula, `-` must be written `{-}`\n"},
    {"not_awkward", {{"1-a"}, {"a-1"}, {"1e5-x"}, {"2x-3"}}, ""},
    {"shadowed",
     {{"total"}, {"max"}},
     "1 W0353 `total_latency` is the run-wide metric, not the latency of eval `total`\n"
     "1 W0353 `total_cost` is the run-wide metric, not the cost of eval `total`\n"
     "2 W0353 `max_latency` is the run-wide metric, not the latency of eval `max`\n"
     "2 W0353 `max_cost` is the run-wide metric, not the cost of eval `max`\n"},
    {"metrics_shadow_nothing", {{"total", true}}, ""},
    {"several_at_once",
     {{"a b"}, {"and"}, {"7"}, {"a b"}},
     "1 E0306 the eval name `a b` contains characters that are not allowed in a name\n"
     "2 E0308 `and` is an operator and cannot be the name of an eval\n"
     "3 E0306 the eval name `7` is a number\n"
     "4 E0307 the name `a b` is taken by the eval on line 1\n"},
};

INSTANTIATE_TEST_SUITE_P(Names, CheckNames, testing::ValuesIn(kNames),
                         [](const auto& row) { return row.param.name; });

TEST(Names, FindByWord) {
  const Names names = names_of({"total", "a-b", "1-2"}, {"q"});
  using Meaning = Names::Meaning;
  const auto meaning = [&](std::string_view word) { return names.find(word)->meaning; };
  EXPECT_EQ(meaning("total"), Meaning::eval);
  EXPECT_EQ(meaning("total_cost"), Meaning::run_metric);
  EXPECT_EQ(meaning("a-b_cost"), Meaning::eval_cost);
  EXPECT_EQ(meaning("a-b_latency"), Meaning::eval_latency);
  EXPECT_EQ(meaning("q"), Meaning::metric);
  EXPECT_EQ(meaning("and"), Meaning::keyword);
  EXPECT_FALSE(names.find("q_cost"));
  EXPECT_FALSE(names.find("1-2"));
  EXPECT_FALSE(names.find(""));
  EXPECT_FALSE(names.find("_cost"));
  EXPECT_TRUE(names.find_braced("1-2"));
  EXPECT_FALSE(names.find_braced("total_cost"));
  EXPECT_FALSE(names.find_braced("and"));
}

}  // namespace
}  // namespace vibe::formula
