// Score: samples → the nine run-wide metrics → the score by a checked formula, with its
// explanation or the reason why there is none. Pure: no clock, no I/O. Does not parse
// formulas (formula/) or read results (results/). Safe from any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "formula/explain.h"
#include "formula/names.h"
#include "formula/program.h"
#include "score/samples.h"

namespace vibe::score {

struct MetricValue {
  std::string name, formula;
  std::optional<double> value;
  std::string error;  // why there is no value
  formula::Explanation explanation;
};

struct Score {
  std::optional<double> value;  // none: undefined
  std::string formula;
  std::string error;  // why the formula has no value; stays as a note where on_undefined gave one
  formula::Explanation explanation;
  std::vector<MetricValue> metrics;  // of the score section
  std::array<double, formula::kRunMetrics.size()> run_metrics{};
  std::size_t samples = 0;
  std::optional<double> prompt_tokens, completion_tokens;

  double run_metric(std::string_view name) const;  // one of kRunMetrics
};

// `on_undefined`: what an undefined score becomes; none: it stays undefined.
Score compute(const formula::Program& program, const Samples& samples,
              std::optional<double> on_undefined = {});

// What a run must reach.
struct Gates {
  std::optional<double> min_score, min_success;  // success in per cent
};

inline constexpr double kDefaultMinSuccess = 50;  // where there is no gate

// Why the run does not pass; empty if it does. An undefined score fails every gate on it.
std::string failed_gate(const Score& score, const Gates& gates);

// ---- how numbers are shown

std::string show_score(double value);      // two decimals; `%.4g` when very small or very large
std::string show_cost(double dollars);     // `$0.0177`; undefined: `N/A`
std::string show_percent(double percent);  // `80.0%`; undefined: `N/A`

}  // namespace vibe::score
