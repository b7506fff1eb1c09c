// WeightedSum: a formula of the shape Σ NUMBER · term, alone or inside `round(NUMBER * (…),
// digits)`: what can be taken apart into points, and go on without a term that is not known. Pure.
//
// NUMBER is a literal with or without a sign, or a product of such; `term * NUMBER` will do too,
// and a name or a call without a number has the weight 1. A term that is subtracted, or whose
// number is negative, has a negative weight: it takes points. A number alone is no term.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formula/program.h"

namespace vibe::fitness {

struct WeightedSum {
  struct Term {
    double weight = 1;
    std::uint32_t node = 0;  // of the tree: the term without its number
  };
  std::vector<Term> terms;       // as they are written
  double factor = 1;             // of the whole sum
  std::optional<double> digits;  // it is rounded to; none: it is not

  double all() const;  // of the weights that give points
};

std::optional<WeightedSum> weighted_sum(const formula::Tree& tree);

// `1 - error_rate`, as the formula has it.
std::string text_of(const formula::Formula& formula, const WeightedSum::Term& term);

}  // namespace vibe::fitness
