// Certainty: how sure the scores of a run are, as it is stored and shown. statistics/ computes it.
// Plain data, safe to copy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "score/interval.h"

namespace vibe::score {

// Of one formula.
struct FormulaCertainty {
  std::string name;                     // of a metric; empty: the score
  std::optional<Interval> other_evals;  // what other evals like these might give
  std::optional<Interval> rerun;        // what the same evals might give if asked again
  // Why there is no interval; empty if the formula has no value, or uses no answer.
  std::string no_other_evals, no_rerun;
  std::vector<std::string> notes;  // when not to trust them
};

struct Certainty {
  double level = 0.95;
  std::int64_t seed = 1, draws = 0;
  std::string method;  // `sbb-1`, `beta-1`; `none` if there is no interval
  FormulaCertainty score;
  std::vector<FormulaCertainty> metrics;  // of the score section
};

}  // namespace vibe::score
