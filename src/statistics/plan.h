// Plan: what one formula uses of a run: its inputs, which units they cover, which evals it names,
// and so what is drawn and what is fixed. Immutable once made; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "formula/program.h"
#include "statistics/design.h"

namespace vibe::statistics {

inline constexpr std::uint32_t kNone = UINT32_MAX;

// The samples that an input covers.
struct Selected {
  formula::Selector selector;
  std::vector<std::uint32_t> units;  // in the order of the plan
  std::uint32_t named = kNone;       // the eval, if the formula names one
};

enum class How : std::uint8_t {
  mean,
  sum,
  percent,
  count,
  stddev,
  ordered,
  extreme,
  share,
  by_question
};

struct PlannedInput {
  std::uint32_t input = 0;  // of the program
  std::uint32_t selected = 0;
  How how = How::mean;
};

struct Plan {
  std::vector<PlannedInput> inputs;  // from left to right, metrics expanded where they are used
  std::vector<Selected> selected;
  std::vector<std::uint32_t> used;                 // units, in order
  std::vector<std::vector<std::uint32_t>> strata;  // of random units
  std::vector<std::uint32_t> stratum_of;           // by unit; kNone: it is fixed, or not used
  bool has_small_strata = false;                   // fixed for that reason
  // Aggregates over passes, each a place in `selected`. Evals named by their pass rate are in
  // `named_shares` instead, unless their cases are units.
  std::vector<std::uint32_t> terms, named_shares;
  std::vector<std::uint32_t> named;  // evals

  std::size_t random_units() const;
  std::size_t used_evals(const Design& design) const;
  bool names_all(const Design& design) const;
  bool uses_extremes() const;
  bool is_random(std::uint32_t unit) const { return stratum_of[unit] != kNone; }
};

Plan make_plan(const formula::Program& program, std::size_t formula, const Design& design);

}  // namespace vibe::statistics
