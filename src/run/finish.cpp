#include "run/finish.h"

#include <cmath>

#include "base/json.h"
#include "base/known.h"

namespace vibe::run {

namespace {

std::optional<double> defined(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

template <class Number>
double figure(const std::optional<Number>& value) {
  return value ? static_cast<double>(*value) : formula::kUndefined;
}

std::optional<std::int64_t> whole(const std::optional<double>& value) {
  return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

// None if an answer does not state it. A sample without an answer counts as 0.
template <class Number>
std::optional<Number> sum(std::span<const score::Result> results,
                          std::optional<Number> score::Turn::* field) {
  Number out = 0;
  for (const auto& result : results) {
    if (!(result.*field) && result.latency) return std::nullopt;
    out += (result.*field).value_or(0);
  }
  return results.empty() ? std::nullopt : std::optional(out);
}

}  // namespace

score::Samples samples_of(const suite::Suite& suite, std::span<const score::Result> results) {
  score::Samples out;
  for (const auto& eval : suite.evals) {
    const std::uint32_t number = out.eval(eval.name);
    for (const auto& tag : eval.tags) out.tag(number, tag);
  }
  for (const auto& result : results) {
    out.add(out.eval(result.eval), {result.passed(), figure(result.latency), figure(result.cost),
                                    figure(result.prompt_tokens), figure(result.completion_tokens),
                                    figure(result.output_quality), figure(result.structure_score),
                                    figure(result.fitness)});
    if (result.status == score::ResultStatus::error) out.add_errors(1, result.error);
  }
  return out;
}

score::Score finish(score::Run& run, const suite::Suite& suite,
                    std::span<const score::Result> results, const score::Samples& samples) {
  score::Score score = score::compute(suite.program, samples, suite.score.on_undefined);

  score::count_results(run, results);
  run.total_cost = defined(score.run_metric("total_cost"));
  run.input_cost = sum(results, &score::Turn::input_cost);
  run.output_cost = sum(results, &score::Turn::output_cost);
  run.judge_cost = 0;
  for (const auto& result : results) base::add_known(run.judge_cost, result.judge_cost);
  run.prompt_tokens = whole(score.prompt_tokens.total);
  run.completion_tokens = whole(score.completion_tokens.total);
  run.thinking_tokens = sum(results, &score::Turn::thinking_tokens);

  run.score_formula = score.formula;
  run.score = score.value;
  run.score_error = score.error;
  run.score_metrics.clear();
  for (const auto& metric : score.metrics)
    run.score_metrics.push_back({metric.name, metric.formula, metric.value, metric.error});
  run.metrics.clear();
  for (std::size_t i = 0; i < formula::kRunMetrics.size(); ++i)
    run.metrics.push_back(
        {std::string(formula::kRunMetrics[i].name), "", defined(score.run_metrics[i]), ""});
  base::JsonWriter json;
  write_json(json, score.explanation);
  run.explanation = json.text();
  run.min_score = suite.score.min;
  return score;
}

}  // namespace vibe::run
