// The figures that formulas ask of samples.
#include "score/samples.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "formula/names.h"

namespace vibe::score {

namespace {

using formula::Column;
using formula::kUndefined;
using formula::Selector;
using formula::Statistic;

constexpr double kNone = kUndefined;

// `math` (tag `hard`): passed, failed; `greet`: passed; one without a name that failed
// without a response.
Samples four_samples() {
  Samples out;
  const auto math = out.eval("math"), greet = out.eval("greet");
  out.tag(math, "hard");
  out.tag(math, "hard");
  out.add(math, {true, 1, 0.01, 10, 5, 0.5, 0.25, 90});
  out.add(greet, {true, 2, 0.02, 20, 10});
  out.add(math, {false, 3, 0.03, 30, kNone, 0.75, 1, kNone});
  out.add(Samples::kNoEval, {false, kNone, 0, kNone, kNone});
  return out;
}

struct Row {
  std::string name;
  formula::Input input;
  double want;
};

class Measure : public testing::TestWithParam<Row> {};

TEST_P(Measure, Gives) {
  const double seen = four_samples().measure(GetParam().input);
  if (std::isnan(GetParam().want))
    EXPECT_TRUE(std::isnan(seen)) << seen;
  else
    EXPECT_DOUBLE_EQ(seen, GetParam().want);
}

formula::Input input(Statistic statistic, Column column, Selector over = {}, double p = 0) {
  return {"", statistic, column, p, std::move(over)};
}
Selector eval(const char* name) { return {Selector::Kind::eval, name}; }
Selector glob(const char* text) { return {Selector::Kind::glob, text}; }
Selector tag(const char* text) { return {Selector::Kind::tag, text}; }

INSTANTIATE_TEST_SUITE_P(
    Samples, Measure,
    testing::Values(
        Row{"count_of_all", input(Statistic::count, Column::passed), 4},
        Row{"count_of_known", input(Statistic::count, Column::latency), 3},
        Row{"sum_of_passes", input(Statistic::sum, Column::passed), 2},
        Row{"success", input(Statistic::percent, Column::passed), 50},
        Row{"latency_without_the_unanswered", input(Statistic::mean, Column::latency), 2},
        Row{"cost_with_the_unanswered", input(Statistic::mean, Column::cost), 0.015},
        Row{"least_cost", input(Statistic::min, Column::cost), 0},
        Row{"most_cost", input(Statistic::max, Column::cost), 0.03},
        Row{"median_of_odd", input(Statistic::median, Column::latency), 2},
        Row{"median_of_even", input(Statistic::median, Column::cost), 0.015},
        Row{"stddev", input(Statistic::stddev, Column::latency), 1},
        Row{"stddev_of_one", input(Statistic::stddev, Column::latency, eval("greet")), kNone},
        Row{"percentile_at_a_value", input(Statistic::percentile, Column::latency, {}, 50), 2},
        Row{"percentile_between", input(Statistic::percentile, Column::latency, {}, 75), 2.5},
        Row{"percentile_first", input(Statistic::percentile, Column::latency, {}, 0), 1},
        Row{"percentile_last", input(Statistic::percentile, Column::latency, {}, 100), 3},
        Row{"sum_of_tokens_with_the_unanswered", input(Statistic::sum, Column::prompt_tokens), 60},
        Row{"sum_of_unknown_tokens", input(Statistic::sum, Column::completion_tokens), kNone},
        Row{"total_tokens_need_both", input(Statistic::sum, Column::total_tokens), kNone},
        Row{"total_tokens_of_those_that_have_both",
            input(Statistic::sum, Column::total_tokens, eval("greet")), 30},
        Row{"mean_of_known_tokens", input(Statistic::mean, Column::completion_tokens), 7.5},
        Row{"median_of_known_tokens", input(Statistic::median, Column::total_tokens), 22.5},
        Row{"count_of_known_tokens", input(Statistic::count, Column::completion_tokens), 2},
        Row{"tokens_of_unknown_eval", input(Statistic::sum, Column::prompt_tokens, eval("nobody")),
            kNone},
        Row{"quality_of_those_that_have_one", input(Statistic::mean, Column::output_quality),
            0.625},
        Row{"structure", input(Statistic::max, Column::structure_score), 1},
        Row{"fitness", input(Statistic::mean, Column::fitness), 90},
        Row{"count_of_fitness", input(Statistic::count, Column::fitness), 1},
        Row{"fitness_of_none", input(Statistic::mean, Column::fitness, eval("greet")), kNone},
        Row{"eval", input(Statistic::mean, Column::passed, eval("math")), 0.5},
        Row{"eval_latency", input(Statistic::mean, Column::latency, eval("math")), 2},
        Row{"unknown_eval", input(Statistic::mean, Column::passed, eval("nobody")), kNone},
        Row{"count_of_unknown_eval", input(Statistic::count, Column::passed, eval("nobody")), 0},
        Row{"glob", input(Statistic::sum, Column::cost, glob("m?th")), 0.04},
        Row{"glob_skips_the_unnamed", input(Statistic::count, Column::passed, glob("*")), 3},
        Row{"tag", input(Statistic::max, Column::latency, tag("hard")), 3},
        Row{"tag_of_none", input(Statistic::max, Column::latency, tag("easy")), kNone}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Samples, OneUnknownPriceMakesCostsUnknown) {
  Samples out;
  const auto priced = out.eval("priced"), unpriced = out.eval("unpriced");
  out.add(priced, {.passed = true, .latency = 1, .cost = 0.5});
  out.add(unpriced, {.passed = true, .latency = 1});
  for (const auto statistic :
       {Statistic::mean, Statistic::sum, Statistic::min, Statistic::max, Statistic::median})
    EXPECT_TRUE(std::isnan(out.measure(input(statistic, Column::cost))));
  EXPECT_EQ(out.measure(input(Statistic::count, Column::cost)), 1);
  EXPECT_EQ(out.measure(input(Statistic::sum, Column::cost, eval("priced"))), 0.5);
  EXPECT_TRUE(std::isnan(out.measure(input(Statistic::sum, Column::cost, eval("unpriced")))));
}

// What passed was answered; what cost something, or nobody knows what, may have been.
TEST(Samples, OnlyWhatWasNeverAnsweredUsedNoTokens) {
  const auto tokens = [](const Sample& sample) {
    Samples out;
    out.add(out.eval("stated"), {true, 1, 0.5, 10, 4});
    out.add(out.eval("other"), sample);
    return out.measure(input(Statistic::sum, Column::prompt_tokens));
  };
  EXPECT_EQ(tokens({.passed = false, .cost = 0}), 10);
  EXPECT_TRUE(std::isnan(tokens({.passed = true, .cost = 0})));
  EXPECT_TRUE(std::isnan(tokens({.passed = false, .latency = 0, .cost = 0})));
  EXPECT_TRUE(std::isnan(tokens({.passed = false, .cost = 0.5})));
  EXPECT_TRUE(std::isnan(tokens({.passed = false})));
}

TEST(Samples, CountTheirErrors) {
  Samples out;
  EXPECT_EQ(out.errors(), 0u);
  out.add(out.eval("a"), {});
  out.add_errors(1, "no connection");
  out.add(out.eval("a"), {});
  out.add_errors(1, "HTTP 500");
  EXPECT_EQ(out.errors(), 2u);
  EXPECT_EQ(out.first_error(), "no connection");
}

TEST(Samples, AnOverflowIsNoFigure) {
  Samples out;
  for (int i = 0; i < 2; ++i) out.add(out.eval("dear"), {.passed = true, .cost = 1e308});
  EXPECT_TRUE(std::isnan(out.measure(input(Statistic::sum, Column::cost))));
  EXPECT_EQ(out.measure(input(Statistic::max, Column::cost)), 1e308);
}

TEST(Samples, NamesAndTagsAreKeptOnce) {
  const Samples out = four_samples();
  ASSERT_EQ(out.evals().size(), 3u);  // the first has no name
  EXPECT_EQ(out.evals()[1].name, "math");
  EXPECT_EQ(out.evals()[1].tags, std::vector<std::string>{"hard"});
  EXPECT_EQ(out.count(1), 2u);
  EXPECT_EQ(out.count(Samples::kNoEval), 1u);
  EXPECT_EQ(out.size(), 4u);
}

// `sum(cost)` is `total_cost`.
TEST(Samples, RunMetricsAreColumnsByAnotherName) {
  const formula::Names names;
  const Samples all = four_samples();
  const auto run_metric = [&](std::string_view name) {
    return all.measure(names.input(*names.find(name)));
  };
  EXPECT_EQ(run_metric("total_cost"), all.measure(input(Statistic::sum, Column::cost)));
  EXPECT_EQ(run_metric("avg_latency"), all.measure(input(Statistic::mean, Column::latency)));
  EXPECT_EQ(run_metric("success_pct"), 100 * all.measure(input(Statistic::mean, Column::passed)));
}

}  // namespace

}  // namespace vibe::score
