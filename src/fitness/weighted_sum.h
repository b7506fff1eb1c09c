// WeightedSum: a formula of the shape Σ NUMBER · term, alone or inside `round(NUMBER * (…),
// digits)`. Such a formula can be split into points and works without unknown terms. Pure.
//
// NUMBER is a literal with or without a sign, or a product of such; `term * NUMBER` is also
// allowed, and a name or a call without a number has the weight 1. A term that is subtracted, or
// whose number is negative, has a negative weight: it subtracts points. A number alone is not a
// term.
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
    std::uint32_t node = 0;  // in the tree: the term without its number
  };
  std::vector<Term> terms;       // in the order written
  double factor = 1;             // of the whole sum
  std::optional<double> digits;  // of the rounding; none: not rounded

  double all() const;  // the sum of the positive weights
};

std::optional<WeightedSum> weighted_sum(const formula::Tree& tree);

// `1 - error_rate`, as in the formula.
std::string text_of(const formula::Formula& formula, const WeightedSum::Term& term);

}  // namespace vibe::fitness
