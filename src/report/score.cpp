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

std::string interval_text(const score::Interval& interval) {
  return fmt::format("{} – {}", score::show_score(interval.low), score::show_score(interval.high));
}

std::string certainty_lines(const score::FormulaCertainty& certainty, double level) {
  constexpr std::string_view kOthers = "Other evals like these";
  const std::string percent = fmt::format("{:g} %", level * 100);
  std::string out;
  if (certainty.rerun)
    out += fmt::format("Asked again: {} ({})\n", interval_text(*certainty.rerun), percent);
  const std::string no_rerun = base::printable(certainty.no_rerun);
  std::string no_others = base::printable(certainty.no_other_evals);
  if (certainty.other_evals) {
    out += fmt::format("{}: {} ({}{}{})\n", kOthers, interval_text(*certainty.other_evals), percent,
                       no_rerun.empty() ? "" : "; ", no_rerun);
  } else if (!no_others.empty()) {
    if (!certainty.rerun && !no_rerun.empty() && no_rerun != no_others)
      no_others += "; " + no_rerun;
    out += fmt::format("{}: N/A ({})\n", kOthers, no_others);
  }
  for (const auto& note : certainty.notes) out += fmt::format("Note: {}\n", base::printable(note));
  return out;
}

std::string summary(const score::Score& score, const score::Gates& gates,
                    const std::optional<score::Certainty>& certainty) {
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
  if (certainty) out += certainty_lines(certainty->score, certainty->level);
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
