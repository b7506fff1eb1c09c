#include "score/score.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "score/numbers.h"

namespace vibe::score {

namespace {

std::optional<double> defined(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

TokenCount tokens(const Samples& samples, double Sample::* figure, formula::Column column) {
  TokenCount out;
  out.total = defined(samples.measure({"", formula::Statistic::sum, column, 0, {}}));
  for (std::uint32_t row = 0; row < samples.size(); ++row)
    if (const double stated = samples.sample(row).*figure; !std::isnan(stated)) {
      out.stated += stated;
      ++out.samples;
    }
  return out;
}

}  // namespace

Score compute(const formula::Program& program, const Samples& samples,
              std::optional<double> on_undefined) {
  std::vector<double> inputs;
  inputs.reserve(program.inputs.size());
  for (const auto& input : program.inputs) inputs.push_back(samples.measure(input));
  const formula::Evaluation evaluation(program, inputs);

  Score out;
  const std::size_t last = program.formulas.size() - 1;
  for (std::size_t i = 0; i < last; ++i)
    out.metrics.push_back(
        {program.formulas[i].name, base::fold_white_space(base::trim(program.formulas[i].text)),
         defined(evaluation.value(i)), why_undefined(evaluation, i), explain(evaluation, i)});
  out.formula = base::fold_white_space(base::trim(program.score().text));
  out.value = defined(evaluation.score());
  out.error = why_undefined(evaluation, last);
  if (!out.value) out.value = on_undefined;
  out.explanation = explain(evaluation, last);
  out.samples = samples.size();
  out.errors = samples.errors();
  if (out.is_all_errors()) {
    out.value.reset();
    out.error = "every sample ended in an error";
    if (!samples.first_error().empty()) out.error += ": " + samples.first_error();
  }
  const formula::Names names;
  for (std::uint32_t i = 0; i < formula::kRunMetrics.size(); ++i)
    out.run_metrics[i] = samples.measure(names.input({formula::Names::Meaning::run_metric, i}));
  out.prompt_tokens = tokens(samples, &Sample::prompt_tokens, formula::Column::prompt_tokens);
  out.completion_tokens =
      tokens(samples, &Sample::completion_tokens, formula::Column::completion_tokens);
  return out;
}

double Score::run_metric(std::string_view name) const {
  for (std::size_t i = 0; i < formula::kRunMetrics.size(); ++i)
    if (formula::kRunMetrics[i].name == name) return run_metrics[i];
  std::abort();  // not a run-wide metric: a bug in the caller
}

namespace {

// Both as they are shown, or with all digits if they would look alike.
std::string is_below(double value, double least, std::string (*show)(double),
                     std::string_view unit) {
  const std::string seen = show(value), wanted = show(least);
  if (seen != wanted) return fmt::format("{} is below {}", seen, wanted);
  return fmt::format("{}{} is below {}{}", value, unit, least, unit);
}

}  // namespace

std::string failed_gate(const Score& score, const Gates& gates) {
  if (score.is_all_errors()) return "every sample ended in an error";
  if (gates.min_score) {
    if (!score.value) return "the score is undefined";
    if (*score.value < *gates.min_score)
      return "score " + is_below(*score.value, *gates.min_score, show_score, "");
    if (!gates.min_success) return {};
  }
  const double success = score.run_metric("success_pct");
  const double least = gates.min_success.value_or(kDefaultMinSuccess);
  if (success >= least) return {};
  return "success rate " + is_below(success, least, show_percent, "%");
}

}  // namespace vibe::score
