// Arithmetic on formula values: doubles, with NaN for "undefined". Each operation is defined once,
// and both evaluators use it, so that they agree to the last bit.
//
// Operands may be infinite after an overflow. Infinity also means undefined, so no operation may
// turn it back into a number; an operation where IEEE arithmetic would (`1 / inf`) checks for it.
// So the evaluators need to look for infinity only at the end.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "formula/function.h"
#include "formula/input.h"
#include "formula/tree.h"

namespace vibe::formula::arithmetic {

#define VIBE_INLINE [[gnu::always_inline]] inline

VIBE_INLINE bool is_defined(double a) { return a - a == 0; }  // neither NaN nor infinite
VIBE_INLINE double nothing(double a, double b) {
  return (a - a) + (b - b);
}  // 0 if both are defined, else NaN
VIBE_INLINE double settle(double a) { return is_defined(a) ? a : kUndefined; }
VIBE_INLINE double truth(bool condition) { return condition ? 1.0 : 0.0; }
VIBE_INLINE double where(bool condition, double a) { return condition ? a : kUndefined; }

struct Add {
  VIBE_INLINE static double of(double a, double b) { return a + b; }
};
struct Subtract {
  VIBE_INLINE static double of(double a, double b) { return a - b; }
};
struct Multiply {
  VIBE_INLINE static double of(double a, double b) { return a * b; }
};
struct Divide {
  VIBE_INLINE static double of(double a, double b) { return where(is_defined(b), a / b); }
};
struct Power {
  VIBE_INLINE static double of(double a, double b) {
    return where(nothing(a, b) == 0, std::pow(a, b));
  }
};
struct Less {
  VIBE_INLINE static double of(double a, double b) { return truth(a < b) + nothing(a, b); }
};
struct LessEqual {
  VIBE_INLINE static double of(double a, double b) { return truth(a <= b) + nothing(a, b); }
};
struct Equal {
  VIBE_INLINE static double of(double a, double b) { return truth(a == b) + nothing(a, b); }
};
struct NotEqual {
  VIBE_INLINE static double of(double a, double b) { return truth(a != b) + nothing(a, b); }
};
struct And {
  VIBE_INLINE static double of(double a, double b) {
    return (a == 0 ? 0.0 : truth(b != 0) + (b - b)) + (a - a);
  }
};
struct Or {
  VIBE_INLINE static double of(double a, double b) {
    return (a != 0 ? 1.0 : truth(b != 0) + (b - b)) + (a - a);
  }
};
struct Min {
  VIBE_INLINE static double of(double a, double b) {
    return where(nothing(a, b) == 0, b < a ? b : a);
  }
};
struct Max {
  VIBE_INLINE static double of(double a, double b) {
    return where(nothing(a, b) == 0, b > a ? b : a);
  }
};
struct Default {
  VIBE_INLINE static double of(double a, double b) { return is_defined(a) ? a : b; }
};

struct Negate {
  VIBE_INLINE static double of(double a) { return -a; }
};
struct Copy {
  VIBE_INLINE static double of(double a) { return a; }
};
struct Settle {
  VIBE_INLINE static double of(double a) { return settle(a); }
};
struct Not {
  VIBE_INLINE static double of(double a) { return truth(a == 0) + (a - a); }
};
struct Abs {
  VIBE_INLINE static double of(double a) { return std::fabs(a); }
};
struct Sqrt {
  VIBE_INLINE static double of(double a) { return std::sqrt(a); }
};
struct Floor {
  VIBE_INLINE static double of(double a) { return std::floor(a); }
};
struct Ceil {
  VIBE_INLINE static double of(double a) { return std::ceil(a); }
};
struct Exp {
  VIBE_INLINE static double of(double a) { return where(is_defined(a), std::exp(a)); }
};
struct Log {
  VIBE_INLINE static double of(double a) { return std::log(a); }
};
struct Log2 {
  VIBE_INLINE static double of(double a) { return std::log2(a); }
};
struct Log10 {
  VIBE_INLINE static double of(double a) { return std::log10(a); }
};

struct If {
  VIBE_INLINE static double of(double c, double a, double b) {
    return where(is_defined(c), c != 0 ? a : b);
  }
};
struct Clamp {
  VIBE_INLINE static double of(double x, double low, double high) {
    const double limited = x < low ? low : (x > high ? high : x);
    return where(low <= high, limited) + (nothing(x, low) + (high - high));
  }
};

// Rounds the shortest decimal that reads back as x, half away from zero: what a person would do
// with the number on the screen. `digits` 0–15.
double round_decimal(double x, double digits);
struct Round {
  static double of(double a, double b) { return round_decimal(a, b); }
};

#undef VIBE_INLINE

}  // namespace vibe::formula::arithmetic

namespace vibe::formula {

// The value of an operator or call, given the values of its children.
double apply(const Tree& tree, const Node& node, std::span<const double> values);

}  // namespace vibe::formula
