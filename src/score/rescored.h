// Rescored: what stored runs would have scored by other formulas, as it is shown and sent. Plain
// data, safe to copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "score/certainty.h"

namespace vibe::score {

// The formulas to score by.
struct NamedFormula {
  std::string name, formula;
  bool operator==(const NamedFormula&) const = default;
};
struct Rule {
  std::string formula;
  std::vector<NamedFormula> metrics{};   // by name, for the formula
  std::optional<double> on_undefined{};  // replaces an undefined score
  std::optional<double> min_score{};     // a gate in place of the runs' own; none: theirs
};

// One run. Ranks are from 1, among the runs that were scored and may be compared; equal scores
// share a rank.
struct RescoredRun {
  std::string id, suite, model;
  std::int64_t created_at = 0;          // milliseconds since 1970
  std::optional<double> before, after;  // scores; none: undefined
  std::string error;                    // why there is no new score
  std::optional<std::uint32_t> rank_before, rank_after;
  std::optional<bool> passed_before, passes_after;  // the gate; none: there is none
  std::optional<Certainty> certainty;               // of the new score; none: not wanted

  // The gate says something else now.
  bool flips() const { return passed_before && passes_after && *passed_before != *passes_after; }
};

struct Spread {
  double least = 0, median = 0, mean = 0, most = 0;
};

// Runs without a new score, by the reason.
struct Unscored {
  std::string why;
  std::size_t runs = 0;
};

struct GateCounts {
  std::size_t runs = 0;  // that have a gate and a new score
  std::size_t passed_before = 0, pass_after = 0;
  std::size_t lost = 0, won = 0;  // those that flip
};

struct RescoreSummary {
  std::string formula;
  std::size_t runs = 0;                 // that match
  std::size_t scored = 0;               // with a new score
  std::size_t changed = 0;              // with a new score that differs from the stored one
  std::size_t ranked = 0, moved = 0;    // those that have a rank; those that have another one
  std::optional<Spread> before, after;  // of the runs that have both scores
  std::vector<Unscored> unscored;       // the most frequent reason first
  GateCounts gates;
  std::vector<RescoredRun> flips, movers;  // the newest flips; those that move most; only some
  std::optional<RescoredRun> best_before, best_after;
  std::string kept;                // the name under which the scores were stored; empty: not
  std::vector<std::string> notes;  // about the formula
};

}  // namespace vibe::score
