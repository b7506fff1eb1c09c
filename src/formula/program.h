// Program: the formulas of one suite (metrics and score), parsed and checked, ready to
// be evaluated: one row at a time (evaluate.h) or many (batch.h). Immutable; safe to
// use from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formula/input.h"
#include "formula/interval.h"
#include "formula/names.h"
#include "formula/tree.h"

namespace vibe::formula {

// One formula: a metric, or, last and without a name, the score.
struct Formula {
  std::string name, text;
  Tree tree;
  Interval range;  // what its value can be
};

struct Program {
  std::vector<Input> inputs;
  std::vector<Formula> formulas;     // the metrics as the suite has them, then the score
  std::vector<std::uint32_t> order;  // the formulas so that each follows those it uses

  const Formula& score() const { return formulas.back(); }
};

struct Definition {
  std::string name;   // of a metric
  base::Where where;  // of the name
  base::Passage text;
};

// Parses and checks. Errors, warnings and notes go to `out`; no program if there was an error.
// `names` holds the metrics' names in the order of `metrics`.
std::optional<Program> compile(const Names& names, std::span<const Definition> metrics,
                               const base::Passage& score, base::Diagnostics& out);

// The named evals (by their number) that no formula uses while others are used.
std::vector<std::uint32_t> unused_evals(const Names& names, const Program& program);

}  // namespace vibe::formula
