#include "run/finish.h"

#include <cmath>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

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

// A result says by names where it belongs: `capitals[2]`, `eval 3`, `eval 3[lisbon]`.
class SampleCollector {
 public:
  explicit SampleCollector(const suite::Suite* suite) {
    if (!suite) return;
    for (std::size_t i = 0; i < suite->evals.size(); ++i) {
      const auto& eval = suite->evals[i];
      Eval& known =
          add_eval(eval.name.empty() ? fmt::format("eval {}", i + 1) : eval.name, eval.name);
      for (const auto& tag : eval.tags) samples_.tag(known.number, tag);
      if (eval.cases) add_cases(*eval.cases, known);
    }
  }

  score::Samples collect(std::span<const score::Result> results) {
    for (const auto& result : results) add(result);
    return std::move(samples_);
  }

 private:
  struct Eval {
    std::uint32_t number = 0;
    std::unordered_map<std::string, std::uint32_t> rows;  // by the case's label
  };

  Eval& add_eval(const std::string& shown, const std::string& name) {
    Eval& eval = evals_[shown];
    eval.number = name.empty() ? samples_.add_unnamed() : samples_.eval(name);
    return eval;
  }

  static void add_cases(const suite::Table& cases, Eval& eval) {
    const auto id = cases.find("id");
    for (std::size_t row = 0; row < cases.rows(); ++row)
      eval.rows.emplace(id ? std::string(cases.cell(row, *id)) : std::to_string(row + 1),
                        static_cast<std::uint32_t>(row));
  }

  void add(const score::Result& result) {
    std::string_view shown = result.eval_name, label;
    const std::size_t open = result.eval.empty() ? shown.find('[') : result.eval.size();
    if (open < shown.size() && shown[open] == '[' && shown.ends_with(']')) {
      label = shown.substr(open + 1, shown.size() - open - 2);
      shown = shown.substr(0, open);
    }
    const std::string name(result.eval.empty() ? shown : result.eval);
    const auto found = evals_.find(name);
    Eval& eval = found != evals_.end() ? found->second : add_eval(name, result.eval);
    const auto next = static_cast<std::uint32_t>(eval.rows.size());
    const std::uint32_t row = eval.rows.try_emplace(std::string(label), next).first->second;
    samples_.add(
        eval.number,
        {result.passed(), figure(result.latency), figure(result.cost), figure(result.prompt_tokens),
         figure(result.completion_tokens), figure(result.output_quality),
         figure(result.structure_score), figure(result.fitness)},
        {result.sample, row, result.repeat});
    if (result.status == score::ResultStatus::error) samples_.add_errors(1, result.error);
    for (const auto& check : result.checks)
      samples_.count_check(eval.number, check.type, check.verdict);
  }

  score::Samples samples_;
  std::unordered_map<std::string, Eval> evals_;  // by name, or `eval 3`
};

}  // namespace

score::Samples samples_of(const suite::Suite& suite, std::span<const score::Result> results) {
  return SampleCollector(&suite).collect(results);
}

score::Samples samples_of(std::span<const score::Result> results) {
  return SampleCollector(nullptr).collect(results);
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
