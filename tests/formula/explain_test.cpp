#include "formula/explain.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "formula/world.h"

namespace vibe::formula {
namespace {

struct ExplainCase {
  const char* name;
  std::string formula;
  Metrics metrics;
  std::string tree;
};

World world() {
  return make_world({
      "sample critical-math         pass 1 0.001475 10 5",
      "sample important-translation pass 2 0.001475 10 5",
      "sample secondary-question    pass 3 0.001475 10 5",
      "sample bad                   fail ? 0        10 5",
  });
}

Explanation explain_text(const std::string& formula, const Metrics& metrics = {}) {
  const World w = world();
  const Program program = compile_valid(w.names, formula, metrics);
  const Evaluation evaluation(program, measure(program, w.samples));
  return explain(evaluation, program.formulas.size() - 1);
}

class Explain : public testing::TestWithParam<ExplainCase> {};

TEST_P(Explain, ShowsTheTree) {
  EXPECT_EQ(to_text(explain_text(GetParam().formula, GetParam().metrics)), GetParam().tree);
}

const std::vector<ExplainCase> kTrees{
    {"weighted_sum_over_cost",
     "(critical-math * 3 + important-translation * 2 + secondary-question) / total_cost",
     {},
     "  = 6 / 0.004425\n"
     "  ├─ critical-math * 3 + important-translation * 2 + secondary-question = 6\n"
     "  │    critical-math = 1 · important-translation = 1 · secondary-question = 1\n"
     "  └─ total_cost = $0.004425\n"},
    {"variable", "success_pct", {}, "  = 75\n"},
    {"number", "5", {}, "  = 5\n"},
    {"dollars", "total_cost", {}, "  = $0.004425\n"},
    {"seconds", "max_latency", {}, "  = 3 s\n"},
    {"aggregate", "percentile(latency, 50)", {}, "  = 2 s\n"},
    {"counts_have_no_unit", "count(latency) + 1", {}, "  = 3 + 1\n  └─ count(latency) = 3\n"},
    {"undefined", "bad_latency", {}, "  = N/A\n"},
    {"numbers_are_not_repeated", "success_pct * 2", {}, "  = 75 * 2\n  └─ success_pct = 75\n"},
    {"chain",
     "success_pct - critical-math + bad - 2",
     {},
     "  = 75 - 1 + 0 - 2\n"
     "  ├─ success_pct = 75\n"
     "  ├─ critical-math = 1\n"
     "  └─ bad = 0\n"},
    {"negative_operands",
     "critical-math - -critical-math * 3",
     {},
     "  = 1 - (-3)\n"
     "  ├─ critical-math = 1\n"
     "  └─ -critical-math * 3 = -3\n"
     "       critical-math = 1\n"},
    {"no_negative_zero", "-bad", {}, "  = -0\n  └─ bad = 0\n"},
    {"product_with_negative_zero",
     "-bad * critical-math + 1",
     {},
     "  = 0 + 1\n  └─ -bad * critical-math = 0\n       bad = 0 · critical-math = 1\n"},
    {"unary", "not critical-math", {}, "  = not 1\n  └─ critical-math = 1\n"},
    {"power",
     "(critical-math + 1)^2",
     {},
     "  = 2 ^ 2\n  └─ critical-math + 1 = 2\n       critical-math = 1\n"},
    {"comparison",
     "success_pct >= 50 and bad == 0",
     {},
     "  = 1 and 1\n"
     "  ├─ success_pct >= 50 = 1\n"
     "  │    = 75 >= 50\n"
     "  │    └─ success_pct = 75\n"
     "  └─ bad == 0 = 1\n"
     "       = 0 == 0\n"
     "       └─ bad = 0\n"},
    {"calls",
     "min(critical-math * 2, max(bad, 0.5))",
     {},
     "  = min(2, 0.5)\n"
     "  ├─ critical-math * 2 = 2\n"
     "  │    critical-math = 1\n"
     "  └─ max(bad, 0.5) = 0.5\n"
     "       = max(0, 0.5)\n"
     "       └─ bad = 0\n"},
    {"undefined_parts",
     "default(critical-math / bad, 7) + 1",
     {},
     "  = 7 + 1\n"
     "  └─ default(critical-math / bad, 7) = 7\n"
     "       = default(N/A, 7)\n"
     "       └─ critical-math / bad = N/A\n"
     "            = 1 / 0\n"
     "            ├─ critical-math = 1\n"
     "            └─ bad = 0\n"},
    {"undefined_root",
     "critical-math / bad",
     {},
     "  = 1 / 0\n  ├─ critical-math = 1\n  └─ bad = 0\n"},
    {"metric",
     "quality * 100",
     {{"quality", "critical-math * 0.5"}},
     "  = 0.5 * 100\n  └─ quality = 0.5\n"},
    {"white_space_is_folded",
     "critical-math\n   *\t2   + bad",
     {},
     "  = 2 + 0\n  ├─ critical-math * 2 = 2\n  │    critical-math = 1\n  └─ bad = 0\n"},
    {"quotient_inside",
     "(critical-math / total_cost) * 2",
     {},
     "  = 1 / 0.004425 * 2\n  ├─ critical-math = 1\n  └─ total_cost = $0.004425\n"},
    {"same_variable_once",
     "(bad + bad * 2 + bad) * critical-math",
     {},
     "  = 0 * 1\n  ├─ bad + bad * 2 + bad = 0\n  │    bad = 0\n  └─ critical-math = 1\n"},
};

INSTANTIATE_TEST_SUITE_P(Trees, Explain, testing::ValuesIn(kTrees),
                         [](const auto& row) { return row.param.name; });

TEST(ExplainJson, IsExprValueChildren) {
  base::JsonWriter json;
  write_json(json, explain_text("critical-math / bad + 1"));
  EXPECT_EQ(json.text(), R"({"expr":"critical-math / bad + 1","value":null,"children":[)"
                         R"({"expr":"critical-math / bad","value":null,"children":[)"
                         R"({"expr":"critical-math","value":1,"children":[]},)"
                         R"({"expr":"bad","value":0,"children":[]}]},)"
                         R"({"expr":"1","value":1,"children":[]}]})");
}

TEST(ExplainText, LongListsOfVariablesAreWrapped) {
  Names names;
  std::string sum = "0";
  for (int i = 0; i < 40; ++i) {
    names.add_eval("evaluation-" + std::to_string(i));
    sum += " + evaluation-" + std::to_string(i);
  }
  const Program program = compile_valid(names, "(" + sum + ") * success_pct");
  const std::vector<double> inputs(program.inputs.size(), 1);
  const std::string text = to_text(explain(Evaluation(program, inputs), 0));
  EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 7);
  EXPECT_NE(text.find("evaluation-39 = 1"), std::string::npos);
}

struct BlameCase {
  const char* name;
  std::string formula;
  Metrics metrics;
  std::string sentence;
};

class Blame : public testing::TestWithParam<BlameCase> {};

TEST_P(Blame, NamesTheCause) {
  const World w = world();
  const Program program = compile_valid(w.names, GetParam().formula, GetParam().metrics);
  const Evaluation evaluation(program, measure(program, w.samples));
  EXPECT_EQ(why_undefined(evaluation, program.formulas.size() - 1), GetParam().sentence);
}

const std::vector<BlameCase> kBlames{
    {"defined", "success_pct", {}, ""},
    {"division",
     "success_pct / bad_cost",
     {},
     R"~(division by zero: bad_cost is 0 in "success_pct / bad_cost")~"},
    {"division_inside",
     "1 + 2 * (success_pct / bad)",
     {},
     R"~(division by zero: bad is 0 in "success_pct / bad")~"},
    {"compound_denominator",
     "1 / (bad * critical-math)",
     {},
     R"~(division by zero: bad * critical-math is 0 (bad is 0, critical-math is 1) in "1 / (bad * critical-math)")~"},
    {"logarithm",
     "log(bad)",
     {},
     R"~(logarithm of a number that is not positive: bad is 0 in "log(bad)")~"},
    {"root",
     "sqrt(bad - critical-math)",
     {},
     R"~(square root of a negative number: bad - critical-math is -1 (bad is 0, critical-math is 1) in "sqrt(bad - critical-math)")~"},
    {"clamp",
     "clamp(1, critical-math, bad)",
     {},
     R"~(lower bound above upper bound: critical-math is 1, bad is 0 in "clamp(1, critical-math, bad)")~"},
    {"zero_power",
     "bad ^ -1",
     {},
     R"~(zero to a negative power: bad is 0, -1 is -1 in "bad ^ -1")~"},
    {"fractional_power",
     "(bad - critical-math) ^ 0.5",
     {},
     R"~(fractional power of a negative number: bad - critical-math is -1 (bad is 0, critical-math is 1) in "(bad - critical-math) ^ 0.5")~"},
    {"overflow",
     "1e308 * (critical-math * 10)",
     {},
     R"~(overflow: critical-math * 10 is 10 (critical-math is 1) in "1e308 * (critical-math * 10)")~"},
    {"input",
     "bad_latency * 2",
     {},
     R"~(no response: bad_latency is undefined in "bad_latency * 2")~"},
    {"input_alone",
     "bad_latency",
     {},
     R"~(no response: bad_latency is undefined in "bad_latency")~"},
    {"too_few",
     "stddev(latency, \"bad\")",
     {},
     R"~(too few samples: stddev(latency, "bad") is undefined in "stddev(latency, "bad")")~"},
    {"metric",
     "q + 1",
     {{"q", "1 / bad"}},
     R"~(metric `q` is undefined: division by zero: bad is 0 in "1 / bad")~"},
    {"condition",
     "if(bad_latency, 1, 2)",
     {},
     R"~(no response: bad_latency is undefined in "if(bad_latency, 1, 2)")~"},
    {"chosen_branch",
     "if(bad, log(bad), 1 / bad)",
     {},
     R"~(division by zero: bad is 0 in "1 / bad")~"},
    {"both_of_default",
     "default(log(bad), 1 / bad)",
     {},
     R"~(division by zero: bad is 0 in "1 / bad")~"},
    {"logic", "critical-math and 1 / bad", {}, R"~(division by zero: bad is 0 in "1 / bad")~"},
    {"first_operand", "1 / bad + log(bad)", {}, R"~(division by zero: bad is 0 in "1 / bad")~"},
};

INSTANTIATE_TEST_SUITE_P(Undefined, Blame, testing::ValuesIn(kBlames),
                         [](const auto& row) { return row.param.name; });

TEST(BlameCost, AnUnknownPriceIsSaid) {
  const World w = make_world({"sample a pass 1 ? 1 1"});
  const Program program = compile_valid(w.names, "success_pct / total_cost");
  EXPECT_EQ(why_undefined(Evaluation(program, measure(program, w.samples)), 0),
            R"(unknown cost: total_cost is undefined in "success_pct / total_cost")");
}

TEST(BlameInput, IsTheOneWithoutAValueAlsoByWayOfMetrics) {
  const World w = make_world({"sample a pass 1 ? 1 1"});
  const Metrics metrics{{"dear", "total_cost"}, {"none", "1 / (success_pct - 100)"}};
  const Program program = compile_valid(w.names, "success_pct + dear + none", metrics);
  const Evaluation evaluation(program, measure(program, w.samples));
  const Cause of_score = cause_of_undefined(evaluation, 2);
  ASSERT_NE(of_score.input, nullptr);
  EXPECT_EQ(of_score.input->name, "total_cost");
  EXPECT_EQ(cause_of_undefined(evaluation, 1).input, nullptr);
}

}  // namespace
}  // namespace vibe::formula
