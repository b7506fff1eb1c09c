// Score: samples → the nine run-wide metrics → the score by a checked formula, with its
// explanation, or why there is none. Pure: no clock, no I/O. Does not parse formulas (formula/) or
// read results (results/). Safe from any thread.
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
  std::optional<double> total;  // none: an answered sample did not state its tokens
  double stated = 0;            // sum over the samples that state it
  std::size_t samples = 0;      // number of those samples
};

struct Score {
  std::optional<double> value;  // none: undefined
  std::string formula;
  std::string error;  // why the formula has no value; also set if on_undefined gave one
  formula::Explanation explanation;
  std::vector<MetricValue> metrics;  // of the score section
  std::array<double, formula::kRunMetrics.size()> run_metrics{};
  std::size_t samples = 0, errors = 0;  // all; those that could not be answered or judged
  TokenCount prompt_tokens, completion_tokens;

  double run_metric(std::string_view name) const;  // one of kRunMetrics
  // Nothing could be scored.
  bool is_all_errors() const { return samples > 0 && errors == samples; }
};

// `on_undefined` replaces an undefined score; none: it stays undefined. If every sample ended in an
// error, there is no score, whatever the formula and `on_undefined` say: a model that did not
// answer is not a model that answered wrongly.
Score compute(const formula::Program& program, const Samples& samples,
              std::optional<double> on_undefined = {});

// The minimum that a run must reach.
struct Gates {
  std::optional<double> min_score, min_success;  // success in per cent
};

inline constexpr double kDefaultMinSuccess = 50;  // if there is no gate

// Why the run does not pass; empty if it does. An undefined score fails every score gate, and a run
// with only errors fails every gate.
std::string failed_gate(const Score& score, const Gates& gates);

// US dollars. Smaller amounts are rounding errors: one token of the cheapest models costs ten times
// as much.
inline constexpr double kLeastDollars = 1e-9;

}  // namespace vibe::score
