#include "score/score.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"

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

// Both as they are shown, or with all digits where that would make them look alike.
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

std::string show_score(double value) {
  const double size = std::fabs(value);
  if (size >= 1e7 || (size < 0.01 && value != 0)) return fmt::format("{:.4g}", value);
  return fmt::format("{:.2f}", value == 0 ? 0.0 : value);
}

namespace {

// Of small costs as many as show two digits.
int decimals_of_cost(double dollars) {
  const double size = std::fabs(dollars);
  return size >= 0.0001 || size == 0 ? 4 : 1 - static_cast<int>(std::floor(std::log10(size)));
}

}  // namespace

std::string show_cost(double dollars) {
  constexpr double kTooSmall = 1e-12;  // to be written out
  if (std::isnan(dollars)) return "N/A";
  if (dollars != 0 && std::fabs(dollars) < kTooSmall) return fmt::format("${:.2g}", dollars);
  return fmt::format("${:.{}f}", dollars == 0 ? 0.0 : dollars, decimals_of_cost(dollars));
}

std::string show_enough(double dollars) {
  const double unit = std::pow(10, decimals_of_cost(dollars));
  return show_cost(std::ceil(dollars * unit - 1e-6) / unit);
}

std::string show_percent(double percent) {
  return std::isnan(percent) ? "N/A" : fmt::format("{:.1f}%", percent);
}

}  // namespace vibe::score
