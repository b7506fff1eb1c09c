// Program: the formulas of one suite (metrics and score), parsed and checked, ready to be evaluated
// for one row (evaluate.h) or many (batch.h). Immutable; safe to use from any thread.
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

// One formula: a metric, or the score, which is last and has no name.
struct Formula {
  std::string name, text;
  Tree tree;
  Interval range;  // what its value can be
};

struct Program {
  std::vector<Input> inputs;
  std::vector<Formula> formulas;     // the metrics in suite order, then the score
  std::vector<std::uint32_t> order;  // evaluation order: each formula follows those it uses

  const Formula& score() const { return formulas.back(); }
};

struct Definition {
  std::string name;   // a metric's name
  base::Where where;  // where the name is
  base::Passage text;
};

// Parses and checks. Errors, warnings and notes go to `out`; no program if there was an error.
// `names` holds the names of the metrics in the order of `metrics`.
std::optional<Program> compile(const Names& names, std::span<const Definition> metrics,
                               const base::Passage& score, base::Diagnostics& out);

// The named evals (by index) that no formula uses, while others are used.
std::vector<std::uint32_t> unused_evals(const Names& names, const Program& program);

}  // namespace vibe::formula
