#include "report/score.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "score/numbers.h"

namespace vibe::report {

namespace {

std::string headline(std::string_view name, std::optional<double> value, std::string_view formula,
                     std::string_view error) {
  if (!value) return fmt::format("{}: N/A ({})", name, base::printable(error));
  return fmt::format("{}: {} (formula: {})", name, score::show_score(*value),
                     base::printable(formula));
}

std::string latency_text(double value) {
  return std::isnan(value) ? "N/A" : fmt::format("{:.2f} s", value);
}

// `10 prompt, 5 completion`, or, if not known for all samples, with the number covered: `10 prompt,
// 5 completion (from 1 of 3 samples)`.
std::string tokens_text(const score::Score& score) {
  const score::TokenCount &prompt = score.prompt_tokens, &completion = score.completion_tokens;
  const auto part = [&](const score::TokenCount& count, bool alone, std::string_view what) {
    if (count.samples == 0 && !count.total) return fmt::format("N/A {}", what);
    std::string out = fmt::format("{:.0f} {}", count.total.value_or(count.stated), what);
    if (!count.total && alone)
      out += fmt::format(" (from {} of {} samples)", count.samples, score.samples);
    return out;
  };
  // stated once if the same for both
  const bool same = !prompt.total && !completion.total && prompt.samples == completion.samples;
  return fmt::format("{}, {}", part(prompt, !same, "prompt"), part(completion, true, "completion"));
}

}  // namespace

std::string score_line(const score::Score& score) {
  return headline("Score", score.value, score.formula, score.error);
}

std::string summary(const score::Score& score, const score::Gates& gates) {
  std::string out = "=== Run Summary ===\n";
  out += score_line(score) + "\n";
  out += fmt::format("Success Rate: {}\n", score::show_percent(score.run_metric("success_pct")));
  out += fmt::format("Total Cost: {}\n", score::show_cost(score.run_metric("total_cost")));
  out += fmt::format("Latency: avg {}, max {}\n", latency_text(score.run_metric("avg_latency")),
                     latency_text(score.run_metric("max_latency")));
  out += fmt::format("Tokens: {}\n", tokens_text(score));
  out += fmt::format("Samples: {}\n", score.samples);
  if (!score.metrics.empty()) out += "Metrics:\n";
  for (const auto& metric : score.metrics)
    out += fmt::format("  {}\n", headline(metric.name, metric.value, metric.formula, metric.error));
  if (score.value && !score.error.empty())
    out += fmt::format("Note: the score is `on_undefined`, because the formula has no value: {}\n",
                       base::printable(score.error));
  if (score.errors > 0 && !score.is_all_errors())
    out += fmt::format("Note: {} of {} samples ended in an error and count as not passed\n",
                       score.errors, score.samples);
  const std::string failed = score::failed_gate(score, gates);
  if (!failed.empty())
    out += fmt::format("Gate: failed, {}\n", failed);
  else if (gates.min_score || gates.min_success)
    out += "Gate: passed\n";
  return out;
}

std::string explanation(const score::Score& score) {
  std::string out = score_line(score) + "\n" + to_text(score.explanation);
  for (const auto& metric : score.metrics)
    out +=
        fmt::format("\n{}\n{}", headline(metric.name, metric.value, metric.formula, metric.error),
                    to_text(metric.explanation));
  return out;
}

}  // namespace vibe::report
