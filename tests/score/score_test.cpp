// Samples → metrics → score; gates.
#include "score/score.h"

#include <cmath>

#include <gtest/gtest.h>

namespace vibe::score {

namespace {

struct Metric {
  const char *name, *formula;
};

Score scored(const Samples& samples, const std::string& formula, std::vector<Metric> metrics = {},
             std::optional<double> on_undefined = {}) {
  formula::Names names;
  for (const auto& eval : samples.evals())
    if (!eval.name.empty()) names.add_eval(eval.name, eval.tags);
  std::vector<formula::Definition> definitions;
  for (const auto& metric : metrics) {
    names.add_metric(metric.name);
    definitions.push_back(
        {metric.name, {}, base::whole(base::make_source(metric.name, metric.formula))});
  }
  base::Diagnostics out;
  const auto program =
      formula::compile(names, definitions, base::whole(base::make_source("score", formula)), out);
  if (!program) {
    ADD_FAILURE() << base::render(out);
    return {};
  }
  return compute(*program, samples, on_undefined);
}

Samples samples_costing(double cost) {
  Samples out;
  const auto math = out.eval("math"), greet = out.eval("greet");
  out.add(math, {true, 1, cost, 10, 5});
  out.add(math, {false, 3, cost, 30, 15});
  out.add(greet, {true, 2, cost, 20, 10});
  out.add(greet, {true, 2, cost, 20, 10});
  return out;
}

TEST(Compute, TheNineMetrics) {
  const Score score = scored(samples_costing(0.25), "100 * math\n  + total_cost");
  EXPECT_EQ(score.value, 51);
  EXPECT_EQ(score.formula, "100 * math + total_cost");
  EXPECT_EQ(score.error, "");
  EXPECT_EQ(score.run_metric("max_latency"), 3);
  EXPECT_EQ(score.run_metric("min_latency"), 1);
  EXPECT_EQ(score.run_metric("avg_latency"), 2);
  EXPECT_EQ(score.run_metric("total_latency"), 8);
  EXPECT_EQ(score.run_metric("max_cost"), 0.25);
  EXPECT_EQ(score.run_metric("min_cost"), 0.25);
  EXPECT_EQ(score.run_metric("avg_cost"), 0.25);
  EXPECT_EQ(score.run_metric("total_cost"), 1);
  EXPECT_EQ(score.run_metric("success_pct"), 75);
  EXPECT_EQ(score.samples, 4u);
  EXPECT_EQ(score.prompt_tokens.total, 80);
  EXPECT_EQ(score.completion_tokens.total, 40);
  EXPECT_EQ(score.completion_tokens.samples, 4u);
}

TEST(Compute, TokensOfSomeSamplesAreNoTotal) {
  Samples some;
  some.add(some.eval("a"), {true, 1, 0.5, 10, 4});
  some.add(some.eval("a"), {true, 1, 0.5});
  some.add(some.eval("a"), {true, 1, 0.5});
  const Score score = scored(some, "sum(total_tokens)");
  EXPECT_EQ(score.value, std::nullopt);
  EXPECT_EQ(score.error, "unknown tokens: sum(total_tokens) is undefined in \"sum(total_tokens)\"");
  EXPECT_EQ(score.prompt_tokens.total, std::nullopt);
  EXPECT_EQ(score.prompt_tokens.stated, 10);
  EXPECT_EQ(score.prompt_tokens.samples, 1u);
  EXPECT_EQ(scored(some, "mean(completion_tokens)").value, 4);
}

TEST(Compute, NothingButErrorsIsNoScore) {
  Samples samples = samples_costing(0);
  samples.add_errors(3, "HTTP 401: no such key");
  const Score some = scored(samples, "success_pct", {}, 7.0);
  EXPECT_EQ(some.value, 75);
  EXPECT_EQ(some.errors, 3u);
  EXPECT_FALSE(some.is_all_errors());
  samples.add_errors(1, "no connection");
  for (const auto& formula : {"success_pct", "success_pct / total_cost", "5"}) {
    const Score score = scored(samples, formula, {}, 7.0);
    EXPECT_EQ(score.value, std::nullopt) << formula;
    EXPECT_EQ(score.error, "every sample ended in an error: HTTP 401: no such key");
    EXPECT_EQ(score.run_metric("success_pct"), 75);  // as the samples say
    for (const Gates& gates : {Gates{}, Gates{{}, 0}, Gates{-1e9, {}}})
      EXPECT_EQ(failed_gate(score, gates), "every sample ended in an error");
  }
  EXPECT_EQ(scored(Samples(), "default(mean(passed), 4)").value, 4);  // nothing is no error
}

TEST(Compute, WithoutAnyResponse) {
  Samples none;
  none.add(none.eval("down"), {.passed = false, .cost = 0});
  const Score score = scored(none, "success_pct");
  EXPECT_EQ(score.value, 0);
  EXPECT_TRUE(std::isnan(score.run_metric("avg_latency")));
  EXPECT_EQ(score.run_metric("total_cost"), 0);
  EXPECT_EQ(score.prompt_tokens.total, 0);  // what is never answered uses none
  EXPECT_FALSE(scored(none, "down_latency").value);
}

TEST(Compute, AnUndefinedScoreSaysWhy) {
  const Score score = scored(samples_costing(0), "success_pct / total_cost");
  EXPECT_EQ(score.value, std::nullopt);
  EXPECT_EQ(score.error, R"(division by zero: total_cost is 0 in "success_pct / total_cost")");
}

TEST(Compute, OnUndefinedReplacesAndKeepsTheReason) {
  const Score undefined = scored(samples_costing(0), "success_pct / total_cost", {}, -3.0);
  EXPECT_EQ(undefined.value, -3);
  EXPECT_NE(undefined.error, "");
  EXPECT_TRUE(std::isnan(undefined.explanation.value));
  const Score defined = scored(samples_costing(0), "success_pct", {}, -3.0);
  EXPECT_EQ(defined.value, 75);
  EXPECT_EQ(defined.error, "");
}

TEST(Compute, MetricsInTheOrderOfTheSuite) {
  const Score score = scored(samples_costing(0), "100 * quality",
                             {{"thrift", "quality / total_cost"}, {"quality", "math * greet"}});
  ASSERT_EQ(score.metrics.size(), 2u);
  EXPECT_EQ(score.metrics[0].name, "thrift");
  EXPECT_EQ(score.metrics[0].value, std::nullopt);
  EXPECT_EQ(score.metrics[0].error,
            R"(division by zero: total_cost is 0 in "quality / total_cost")");
  EXPECT_EQ(score.metrics[1].formula, "math * greet");
  EXPECT_EQ(score.metrics[1].value, 0.5);
  EXPECT_EQ(score.value, 50);  // an undefined metric affects only what uses it
}

struct GateRow {
  const char* name;
  std::optional<double> value;
  double success;
  Gates gates;
  const char* want;
};

class Gate : public testing::TestWithParam<GateRow> {};

TEST_P(Gate, Gives) {
  Score score;
  score.value = GetParam().value;
  score.run_metrics.back() = GetParam().success;
  EXPECT_EQ(score.run_metric("success_pct"), GetParam().success);
  EXPECT_EQ(failed_gate(score, GetParam().gates), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Score, Gate,
    testing::Values(
        GateRow{"half_is_enough", 1, 50, {}, ""},
        GateRow{"less_than_half", 1, 49.9, {}, "success rate 49.9% is below 50.0%"},
        GateRow{"undefined_without_gate", {}, 50, {}, ""},
        GateRow{"score_reached", 40, 0, {40, {}}, ""},
        GateRow{"score_below", 39.996, 100, {40, {}}, "score 39.996 is below 40"},
        GateRow{"score_far_below", -1.5, 100, {40, {}}, "score -1.50 is below 40.00"},
        GateRow{"undefined_score", {}, 100, {-1e9, {}}, "the score is undefined"},
        GateRow{"success_reached", 1, 10, {{}, 10}, ""},
        GateRow{"success_below", 1, 80, {{}, 90}, "success rate 80.0% is below 90.0%"},
        GateRow{"success_just_below", 1, 89.99, {{}, 90}, "success rate 89.99% is below 90%"},
        GateRow{"undefined_score_without_its_gate", {}, 80, {{}, 70}, ""},
        GateRow{"both_the_score_first", 1, 10, {2, 90}, "score 1.00 is below 2.00"},
        GateRow{"both_the_success", 3, 10, {2, 90}, "success rate 10.0% is below 90.0%"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace

}  // namespace vibe::score
