// Interval: what is known about a value before anything runs: its bounds, whether it can be zero,
// whether it can be undefined. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "formula/input.h"
#include "formula/tree.h"

namespace vibe::formula {

enum class Defined : std::uint8_t { always, perhaps, never };

struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  // Cannot be 0, even if the bounds include it; except that products and quotients can underflow.
  bool nonzero = false;
  Defined defined = Defined::always;

  static Interval constant(double value) { return {value, value, value != 0, Defined::always}; }
  static Interval anything() { return {.defined = Defined::perhaps}; }

  bool is_constant() const { return low == high; }
  bool is_zero() const { return low == 0 && high == 0 && defined != Defined::never; }
  bool can_be_zero() const { return low <= 0 && high >= 0 && !nonzero; }
};

Interval range_of(const Input& input);

// The range of an operator or call, given the ranges of its children. The caller says whether the
// operands of a difference or comparison are equal (`same`).
Interval range_of(const Tree& tree, const Node& node, std::span<const Interval> ranges, bool same);

}  // namespace vibe::formula
