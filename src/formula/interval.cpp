#include "formula/interval.h"

#include <algorithm>
#include <cmath>

#include "formula/arithmetic.h"

namespace vibe::formula {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Defined both(Defined a, Defined b) {
  return a == Defined::always && b == Defined::always ? Defined::always : Defined::perhaps;
}

// The hull of a function's values at the corners of its operands' ranges. Sound for functions that
// are monotone in each operand, since rounding is monotone as well.
class Hull {
 public:
  void add(double value) {
    if (std::isnan(value)) {
      indefinite_ = true;
      return;
    }
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  Interval range(Defined defined, bool nonzero) const {
    Interval out{low_, high_, nonzero, defined};
    if (indefinite_ || low_ > high_) out.low = -kInfinity, out.high = kInfinity;
    // Completely beyond the largest double.
    if (out.low == kInfinity || out.high == -kInfinity) out.defined = Defined::never;
    // Partly beyond the largest double.
    if (std::isinf(out.low) || std::isinf(out.high))
      out.defined = std::max(out.defined, Defined::perhaps);
    if (out.low > 0 || out.high < 0) out.nonzero = true;
    if (out.low == 0 && out.high == 0) out.nonzero = false;
    return out;
  }

 private:
  double low_ = kInfinity, high_ = -kInfinity;
  bool indefinite_ = false;
};

bool is_positive(const Interval& a) { return a.low > 0 || (a.low == 0 && a.nonzero); }
bool is_negative(const Interval& a) { return a.high < 0 || (a.high == 0 && a.nonzero); }
bool certainly_less(const Interval& a, const Interval& b) {
  return a.high < b.low || (a.high <= 0 && is_positive(b)) || (is_negative(a) && b.low >= 0);
}

Interval truth(bool certain, bool impossible, Defined defined) {
  if (certain) return {1, 1, true, defined};
  if (impossible) return {0, 0, false, defined};
  return {0, 1, false, defined};
}

Interval unite(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.nonzero && b.nonzero,
          both(a.defined, b.defined)};
}

template <class Function>
Interval monotone(const Interval& a, Function f, bool nonzero = false) {
  Hull hull;
  hull.add(f(a.low));
  hull.add(f(a.high));
  return hull.range(a.defined, nonzero);
}

Interval add(const Interval& a, const Interval& b, double sign) {
  const Interval c = sign > 0 ? b : Interval{-b.high, -b.low, b.nonzero, b.defined};
  Hull hull;
  hull.add(a.low + c.low);
  hull.add(a.high + c.high);
  const bool same_side = (a.low >= 0 && c.low >= 0) || (a.high <= 0 && c.high <= 0);
  return hull.range(both(a.defined, b.defined), same_side && (a.nonzero || c.nonzero));
}

double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Interval multiply(const Interval& a, const Interval& b) {
  Hull hull;
  for (const double x : {a.low, a.high})
    for (const double y : {b.low, b.high}) hull.add(product(x, y));
  return hull.range(both(a.defined, b.defined), a.nonzero && b.nonzero);
}

Interval divide(const Interval& a, const Interval& b) {
  if (b.is_zero()) return {.defined = Defined::never};
  const Defined defined = b.can_be_zero() ? Defined::perhaps : both(a.defined, b.defined);
  if (b.low < 0 && b.high > 0) return {-kInfinity, kInfinity, a.nonzero, Defined::perhaps};
  Hull hull;
  for (const double x : {a.low, a.high}) {
    for (const double y : {b.low == 0 ? 0.0 : b.low, b.high == 0 ? -0.0 : b.high}) {
      if (x == 0) {
        hull.add(0);
      } else if (std::isinf(x) && std::isinf(y)) {  // any value of that sign
        hull.add(0);
        hull.add((x > 0) == (y > 0) ? kInfinity : -kInfinity);
      } else {
        hull.add(x / y);
      }
    }
  }
  Interval out = hull.range(defined, a.nonzero);
  if (b.low == 0 || b.high == 0)
    out.defined = Defined::perhaps;  // infinite near the excluded bound
  return out;
}

Interval power(const Interval& a, const Interval& b) {
  const Defined defined = both(a.defined, b.defined);
  const bool whole = b.is_constant() && b.low == std::floor(b.low);
  if (a.is_zero() && b.high < 0) return {.defined = Defined::never};
  if (a.high < 0 && b.is_constant() && !whole) return {.defined = Defined::never};
  if (a.is_constant() && b.is_constant()) {
    const double value = arithmetic::Power::of(a.low, b.low);
    if (!arithmetic::is_defined(value)) return {.defined = Defined::never};
    Interval out = Interval::constant(value);
    out.defined = defined;
    return out;
  }
  if (a.low >= 0) {
    Hull hull;
    // A bound of -0, as in `-log(x)`, is the limit of the values above it; `-0 ^ -1` must not give
    // -infinity.
    for (const double x : {std::fabs(a.low), std::fabs(a.high)})
      for (const double y : {b.low, b.high}) hull.add(std::pow(x, y));
    // For an open range, only a constant power stays away from 0: `0.5 ^ 2000` is 0.
    Interval out = hull.range(a.can_be_zero() && b.low < 0 ? Defined::perhaps : defined,
                              a.nonzero && b.is_constant());
    if (out.defined == Defined::never) out.defined = Defined::perhaps;
    return out;
  }
  const bool even = whole && std::fmod(b.low, 2) == 0;
  return {even ? 0 : -kInfinity, kInfinity, a.nonzero && whole && b.low >= 0, Defined::perhaps};
}

Interval logarithm(const Interval& a, double (*f)(double)) {
  if (a.high <= 0) return {.defined = Defined::never};
  const double low = a.low > 0 ? f(a.low) : -kInfinity;
  const double high = f(a.high);
  return {low, high, low > 0 || high < 0, is_positive(a) ? a.defined : Defined::perhaps};
}

Interval clamp(const Interval& x, const Interval& low, const Interval& high) {
  if (low.low > high.high) return {.defined = Defined::never};
  Defined defined = both(x.defined, both(low.defined, high.defined));
  if (low.high > high.low) defined = Defined::perhaps;
  Hull hull;
  hull.add(std::max(low.low, std::min(x.low, high.low)));
  hull.add(std::min(high.high, std::max(x.high, low.high)));
  return hull.range(defined, x.nonzero && low.nonzero && high.nonzero);
}

Interval extreme(std::span<const Interval> ranges, std::span<const std::uint32_t> children,
                 bool smallest) {
  Interval out = ranges[children[0]];
  for (const std::uint32_t child : children.subspan(1)) {
    const Interval& next = ranges[child];
    const bool nonzero = out.nonzero && next.nonzero;
    const Defined defined = both(out.defined, next.defined);
    if (smallest)
      out = {std::min(out.low, next.low), std::min(out.high, next.high), nonzero, defined};
    else
      out = {std::max(out.low, next.low), std::max(out.high, next.high), nonzero, defined};
  }
  return out;
}

Interval absolute(const Interval& a) {
  const double high = std::max(std::fabs(a.low), std::fabs(a.high));
  const double low = a.low > 0 ? a.low : (a.high < 0 ? -a.high : 0);
  return {low, high, a.nonzero, a.defined};
}

Interval call(const Tree& tree, const Node& node, std::span<const Interval> ranges) {
  const auto children = tree.children_of(node);
  const Interval& a = ranges[children[0]];
  switch (node.function->id) {
    case FunctionId::abs: return absolute(a);
    case FunctionId::ceil: return monotone(a, [](double x) { return std::ceil(x); });
    case FunctionId::floor: return monotone(a, [](double x) { return std::floor(x); });
    case FunctionId::exp: return monotone(a, [](double x) { return std::exp(x); });
    case FunctionId::round: {
      const double digits = children.size() > 1 ? ranges[children[1]].low : 0;
      return monotone(
          a, [&](double x) { return std::isinf(x) ? x : arithmetic::round_decimal(x, digits); });
    }
    case FunctionId::sqrt: {
      if (a.high < 0) return {.defined = Defined::never};
      Interval out = monotone(
          {std::max(a.low, 0.0), a.high, a.nonzero, a.defined},
          [](double x) { return std::sqrt(x); }, a.nonzero);
      if (a.low < 0) out.defined = Defined::perhaps;
      return out;
    }
    case FunctionId::log: return logarithm(a, std::log);
    case FunctionId::log2: return logarithm(a, std::log2);
    case FunctionId::log10: return logarithm(a, std::log10);
    case FunctionId::pow: return power(a, ranges[children[1]]);
    case FunctionId::min: return extreme(ranges, children, true);
    case FunctionId::max: return extreme(ranges, children, false);
    case FunctionId::clamp: return clamp(a, ranges[children[1]], ranges[children[2]]);
    case FunctionId::if_: {
      const Interval& chosen = ranges[children[1]];
      const Interval& other = ranges[children[2]];
      Interval out = !a.can_be_zero() ? chosen : (a.is_zero() ? other : unite(chosen, other));
      out.defined = both(out.defined, a.defined);
      return out;
    }
    case FunctionId::default_: {
      if (a.defined == Defined::always) return a;
      const Interval& fallback = ranges[children[1]];
      if (a.defined == Defined::never) return fallback;
      Interval out = unite(a, fallback);
      out.defined = fallback.defined == Defined::always ? Defined::always : Defined::perhaps;
      return out;
    }
    case FunctionId::count:
    case FunctionId::mean:
    case FunctionId::median:
    case FunctionId::pass_all:
    case FunctionId::pass_at:
    case FunctionId::pass_rate:
    case FunctionId::percentile:
    case FunctionId::stddev:
    case FunctionId::sum: break;  // aggregates are inputs
  }
  return Interval::anything();
}

}  // namespace

Interval range_of(const Input& input) {
  if (input.figure) return {input.figure->least, input.figure->most, false, Defined::perhaps};
  // A run has at least one sample.
  const bool all_samples = input.column == Column::passed && input.over.kind == Selector::Kind::all;
  if (input.statistic == Statistic::count)
    return {all_samples ? 1.0 : 0.0, kInfinity, all_samples, Defined::always};
  const bool needs_several =
      input.statistic == Statistic::stddev || is_by_question(input.statistic);
  switch (input.column) {
    case Column::passed:
      if (input.statistic == Statistic::percent) return {0, 100, false, Defined::always};
      if (input.statistic == Statistic::sum) return {0, kInfinity, false, Defined::always};
      return {0, 1, false, needs_several ? Defined::perhaps : Defined::always};
    case Column::latency:  // other tools may state 0
    case Column::cost:
    case Column::prompt_tokens:
    case Column::completion_tokens:
    case Column::total_tokens: return {0, kInfinity, false, Defined::perhaps};
    case Column::output_quality:
    case Column::structure_score:
    case Column::fitness: {
      const double most = input.statistic == Statistic::sum ? kInfinity : row_of(input.column).most;
      return {0, most, false, Defined::perhaps};
    }
  }
  return Interval::anything();
}

Interval range_of(const Tree& tree, const Node& node, std::span<const Interval> ranges, bool same) {
  const auto children = tree.children_of(node);
  const bool chooses = node.op == Op::logical_and || node.op == Op::logical_or ||
                       (node.op == Op::call && (node.function->id == FunctionId::if_ ||
                                                node.function->id == FunctionId::default_));
  for (const std::uint32_t child : children)  // the child was reported, and nothing is certain here
    if (ranges[child].defined == Defined::never && !chooses) return Interval::anything();
  if (node.op == Op::call) return call(tree, node, ranges);
  if (children.empty()) return Interval::anything();
  const Interval& a = ranges[children[0]];
  const Interval& b = ranges[children[children.size() > 1 ? 1 : 0]];
  const Defined defined = both(a.defined, b.defined);
  switch (node.op) {
    case Op::negate: return {-a.high, -a.low, a.nonzero, a.defined};
    case Op::plus: return a;
    case Op::logical_not: return truth(a.is_zero(), !a.can_be_zero(), a.defined);
    case Op::add: return add(a, b, 1);
    case Op::subtract: return same ? Interval{0, 0, false, defined} : add(a, b, -1);
    case Op::multiply: return multiply(a, b);
    case Op::divide: return divide(a, b);
    case Op::power: return power(a, b);
    case Op::less: return truth(certainly_less(a, b), same || b.high <= a.low, defined);
    case Op::less_equal: return truth(same || a.high <= b.low, certainly_less(b, a), defined);
    case Op::greater: return truth(certainly_less(b, a), same || a.high <= b.low, defined);
    case Op::greater_equal: return truth(same || b.high <= a.low, certainly_less(a, b), defined);
    case Op::equal:
    case Op::not_equal: {
      const bool equal = same || (a.is_constant() && b.is_constant() && a.low == b.low);
      const bool apart = certainly_less(a, b) || certainly_less(b, a);
      return node.op == Op::equal ? truth(equal, apart, defined) : truth(apart, equal, defined);
    }
    case Op::logical_and:
      if (a.is_zero()) return {0, 0, false, a.defined};
      return truth(!a.can_be_zero() && !b.can_be_zero(), b.is_zero(), defined);
    case Op::logical_or:
      if (!a.can_be_zero()) return {1, 1, true, a.defined};
      return truth(!b.can_be_zero(), a.is_zero() && b.is_zero(), defined);
    case Op::number:
    case Op::input:
    case Op::metric:
    case Op::call:
    case Op::invalid: break;
  }
  return Interval::anything();
}

}  // namespace vibe::formula
