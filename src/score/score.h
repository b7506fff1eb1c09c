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

// How many tokens the samples used.
struct TokenCount {
  std::optional<double> total;  // none: not known of every sample that was answered
  double stated = 0;            // of the samples that state it
  std::size_t samples = 0;      // those
};

struct Score {
  std::optional<double> value;  // none: undefined
  std::string formula;
  std::string error;  // why the formula has no value; stays as a note where on_undefined gave one
  formula::Explanation explanation;
  std::vector<MetricValue> metrics;  // of the score section
  std::array<double, formula::kRunMetrics.size()> run_metrics{};
  std::size_t samples = 0, errors = 0;  // all; those that could not be answered or judged
  TokenCount prompt_tokens, completion_tokens;

  double run_metric(std::string_view name) const;  // one of kRunMetrics
  // Nothing is known of what was to be scored.
  bool is_all_errors() const { return samples > 0 && errors == samples; }
};

// `on_undefined`: what an undefined score becomes; none: it stays undefined. Where every sample
// ended in an error there is no score, whatever the formula says and `on_undefined` is: a model
// that was never heard is not one that answers wrongly.
Score compute(const formula::Program& program, const Samples& samples,
              std::optional<double> on_undefined = {});

// What a run must reach.
struct Gates {
  std::optional<double> min_score, min_success;  // success in per cent
};

inline constexpr double kDefaultMinSuccess = 50;  // where there is no gate

// Why the run does not pass; empty if it does. An undefined score fails every gate on it, a run
// without anything but errors every gate.
std::string failed_gate(const Score& score, const Gates& gates);

// US dollars. Less is no money, but what rounding left of a sum: one token of the cheapest models
// costs ten times as much.
inline constexpr double kLeastDollars = 1e-9;

}  // namespace vibe::score
