#include "formula/check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::formula {

using base::Code;

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::size_t kMostShown = 60;  // code points of a sub-expression in a message

bool is_comparison(Op op) {
  return op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal ||
         op == Op::equal || op == Op::not_equal;
}

// The same comparison with its operands swapped.
Op exchanged(Op op) {
  if (op == Op::less) return Op::greater;
  if (op == Op::less_equal) return Op::greater_equal;
  if (op == Op::greater) return Op::less;
  if (op == Op::greater_equal) return Op::less_equal;
  return op;
}

// The opposite comparison.
Op negated(Op op) {
  switch (op) {
    case Op::less: return Op::greater_equal;
    case Op::less_equal: return Op::greater;
    case Op::greater: return Op::less_equal;
    case Op::greater_equal: return Op::less;
    case Op::equal: return Op::not_equal;
    case Op::not_equal: return Op::equal;
    default: return op;
  }
}

// Whether `x op limit` implies that x is not 0.
bool excludes_zero(Op op, const Interval& limit) {
  switch (op) {
    case Op::greater: return limit.low >= 0;
    case Op::greater_equal: return limit.low > 0;
    case Op::less: return limit.high <= 0;
    case Op::less_equal: return limit.high < 0;
    case Op::not_equal: return limit.is_zero();
    case Op::equal: return !limit.can_be_zero();
    default: return false;
  }
}

class Checker {
 public:
  Checker(const Tree& tree, const base::Passage& text, std::span<const Input> inputs,
          std::span<const Interval> metrics, base::Diagnostics& out)
      : tree_(tree), text_(text), inputs_(inputs), metrics_(metrics), out_(out) {}

  // Three passes over the nodes: children first (the range of each node), parents first (the
  // context of each node), then the reports. No recursion, so any depth is safe.
  Interval run() {
    const std::size_t count = tree_.nodes.size();
    if (count == 0) return Interval::anything();
    find_broken_nodes();
    number_equal_nodes();
    ranges_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) ranges_[i] = range(i);
    contexts_.resize(count);
    for (auto i = static_cast<std::uint32_t>(count); i-- > 0;) pass_context_down(i);
    for (std::uint32_t i = 0; i < count; ++i)
      if (!contexts_[i].excluded) report(i);
    return ranges_.back();
  }

 private:
  // What is known at a node.
  struct Context {
    bool excluded = false;         // by a condition that is always true or false
    bool has_default = false;      // inside default's first argument
    std::uint32_t guards = kNone;  // sub-expressions known not to be 0
  };
  struct Guard {
    std::uint32_t number;
    std::uint32_t next;
  };

  const Node& node(std::uint32_t i) const { return tree_.nodes[i]; }
  std::span<const std::uint32_t> children(std::uint32_t i) const {
    return tree_.children_of(node(i));
  }
  std::string text(std::uint32_t i) const {
    const auto span = node(i).span;
    return base::shorten(base::fold_white_space(base::slice(text_.text, span)), kMostShown);
  }
  void add(Code code, std::uint32_t i, std::string message, std::string hint = {}) {
    out_.add(code, base::at(text_, node(i).span), std::move(message), std::move(hint));
  }

  // A node is broken if it, or a node below it, could not be parsed; it is not reported.
  void find_broken_nodes() {
    broken_.resize(tree_.nodes.size());
    for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) {
      broken_[i] = node(i).op == Op::invalid;
      for (const std::uint32_t child : children(i)) broken_[i] = broken_[i] || broken_[child];
    }
  }

  // Gives equal sub-expressions the same number: `a + b` and `b + a` are equal.
  void number_equal_nodes() {
    const std::size_t count = tree_.nodes.size();
    numbers_.resize(count);
    std::vector<std::uint32_t> table(std::bit_ceil(2 * count), kNone);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::size_t slot = hash(i) & (table.size() - 1);
      while (table[slot] != kNone && !equal(table[slot], i)) slot = (slot + 1) & (table.size() - 1);
      if (table[slot] == kNone) table[slot] = i;
      numbers_[i] = table[slot];
    }
  }
  static bool commutes(const Node& n) { return n.op == Op::add || n.op == Op::multiply; }
  std::size_t hash(std::uint32_t i) const {
    const Node& n = node(i);
    std::uint64_t h = static_cast<std::uint64_t>(n.op) * 31 + n.index;
    h = h * 0x9E3779B97F4A7C15u + std::bit_cast<std::uint64_t>(n.number);
    if (n.function != nullptr) h += static_cast<std::uint64_t>(n.function->id) + 1;
    std::uint64_t from_children = 0;
    for (const std::uint32_t child : children(i)) {
      const std::uint64_t c = (numbers_[child] + 1) * 0xBF58476D1CE4E5B9u;
      from_children = commutes(n) ? from_children + c : (from_children ^ c) * 0x94D049BB133111EBu;
    }
    h ^= from_children;
    return static_cast<std::size_t>(h ^ (h >> 29));
  }
  bool equal(std::uint32_t i, std::uint32_t j) const {
    const Node &a = node(i), &b = node(j);
    if (a.op == Op::invalid) return false;
    if (a.op != b.op || a.function != b.function || a.index != b.index ||
        a.child_count != b.child_count)
      return false;
    if (a.op == Op::number && a.number != b.number) return false;
    const auto ca = children(i), cb = children(j);
    const auto same = [&](std::uint32_t x, std::uint32_t y) { return numbers_[x] == numbers_[y]; };
    if (std::equal(ca.begin(), ca.end(), cb.begin(), same)) return true;
    return commutes(a) && same(ca[0], cb[1]) && same(ca[1], cb[0]);
  }

  Interval range(std::uint32_t i) const {
    const Node& n = node(i);
    if (n.op == Op::number) return Interval::constant(n.number);
    if (n.op == Op::input) return range_of(inputs_[n.index]);
    if (n.op == Op::metric) return metrics_[n.index];
    const auto c = children(i);
    return range_of(tree_, n, ranges_, c.size() == 2 && numbers_[c[0]] == numbers_[c[1]]);
  }

  void pass_context_down(std::uint32_t i) {
    const Context here = contexts_[i];
    const auto c = children(i);
    for (const std::uint32_t child : c) contexts_[child] = here;
    const Op op = node(i).op;
    if (op == Op::logical_and || op == Op::logical_or) {
      const bool conjunction = op == Op::logical_and;
      contexts_[c[1]].guards = guarded(c[0], conjunction, here.guards);
      contexts_[c[1]].excluded |=
          conjunction ? ranges_[c[0]].is_zero() : !ranges_[c[0]].can_be_zero();
    }
    if (op != Op::call) return;
    if (node(i).function->id == FunctionId::if_) {
      contexts_[c[1]].guards = guarded(c[0], true, here.guards);
      contexts_[c[2]].guards = guarded(c[0], false, here.guards);
      contexts_[c[1]].excluded |= ranges_[c[0]].is_zero();
      contexts_[c[2]].excluded |= !ranges_[c[0]].can_be_zero();
    }
    if (node(i).function->id == FunctionId::default_) {
      contexts_[c[0]].has_default = true;
      contexts_[c[1]].excluded |= ranges_[c[0]].defined == Defined::always;
    }
  }

  // Adds the guards that hold if a condition is true (or false) to `guards`.
  std::uint32_t guarded(std::uint32_t condition, bool holds, std::uint32_t guards) {
    std::vector<std::pair<std::uint32_t, bool>> open{{condition, holds}};
    while (!open.empty()) {
      const auto [i, truth] = open.back();
      open.pop_back();
      const Op op = node(i).op;
      const auto c = children(i);
      if (op == Op::logical_not) {
        open.emplace_back(c[0], !truth);
      } else if (op == (truth ? Op::logical_and : Op::logical_or)) {
        open.emplace_back(c[0], truth);
        open.emplace_back(c[1], truth);
      } else if (is_comparison(op)) {
        const Op held = truth ? op : negated(op);
        if (excludes_zero(held, ranges_[c[1]])) guards = add_guard(c[0], guards);
        if (excludes_zero(exchanged(held), ranges_[c[0]])) guards = add_guard(c[1], guards);
      } else if (truth) {
        guards = add_guard(i, guards);
      }
    }
    return guards;
  }
  std::uint32_t add_guard(std::uint32_t i, std::uint32_t next) {
    guards_.push_back({numbers_[i], next});
    return static_cast<std::uint32_t>(guards_.size()) - 1;
  }

  // Whether a denominator can be 0 in its context: whether any of its factors can, unless guarded.
  bool can_be_zero(std::uint32_t denominator) const {
    std::vector<std::uint32_t> factors{denominator};
    while (!factors.empty()) {
      const std::uint32_t i = factors.back();
      factors.pop_back();
      if (!ranges_[i].can_be_zero() || is_guarded(i, contexts_[denominator].guards)) continue;
      const Op op = node(i).op;
      if (op != Op::multiply && op != Op::negate && op != Op::plus) return true;
      const auto c = children(i);
      factors.insert(factors.end(), c.begin(), c.end());
    }
    return false;
  }
  bool is_guarded(std::uint32_t i, std::uint32_t guards) const {
    for (; guards != kNone; guards = guards_[guards].next)
      if (guards_[guards].number == numbers_[i]) return true;
    return false;
  }

  void report(std::uint32_t i) {
    const Node& n = node(i);
    const auto c = children(i);
    if (n.op == Op::divide) {
      if (!broken_[c[1]]) report_division(i, c[1]);
    } else if (broken_[i]) {
      return;
    } else if (ranges_[i].defined == Defined::never && n.op != Op::metric) {
      add(Code::undefined_value, i,
          fmt::format("`{}` is always undefined: {}", text(i), reason(i)));
    } else if (is_comparison(n.op) && ranges_[i].is_constant()) {
      add(Code::constant_comparison, i,
          fmt::format("`{}` is always {}", text(i), ranges_[i].low != 0 ? "true" : "false"),
          numbers_[c[0]] == numbers_[c[1]] ||
                  (ranges_[c[0]].is_constant() && ranges_[c[1]].is_constant())
              ? ""
              : known_ranges());
    }
    if (n.op == Op::call && n.function->id == FunctionId::round && c.size() == 2)
      check_digits(c[1]);
  }

  void report_division(std::uint32_t i, std::uint32_t denominator) {
    // The denominator itself is reported.
    if (ranges_[denominator].defined == Defined::never) return;
    if (ranges_[denominator].is_zero()) {
      add(Code::zero_division, denominator,
          node(denominator).op == Op::number
              ? "division by zero"
              : fmt::format("division by zero: `{}` is always 0", text(denominator)));
    } else if (broken_[i]) {
      return;
    } else if (ranges_[i].defined == Defined::never) {
      add(Code::undefined_value, i,
          fmt::format("`{}` is always undefined: {}", text(i), reason(i)));
    } else if (!contexts_[i].has_default && can_be_zero(denominator)) {
      const std::string division = text(i);
      add(Code::possible_zero_division, denominator,
          fmt::format("`{}` can be 0, and then `{}` is undefined", text(denominator), division),
          fmt::format("`default({}, 0)` gives it a value",
                      node(i).span.end - node(i).span.begin > kMostShown ? "…" : division));
    }
  }

  std::string known_ranges() const {
    const bool of_figures = !inputs_.empty() && inputs_.front().figure;
    return of_figures ? "rates, shares and scores are 0–1, and counts are not negative"
                      : "pass rates are 0–1, `success_pct` is 0–100, latencies and costs are not "
                        "negative";
  }

  std::string reason(std::uint32_t i) const {
    const Node& n = node(i);
    const auto c = children(i);
    const auto power = [&]() -> std::string {
      if (ranges_[c[0]].is_zero()) return "zero to a negative power";
      return ranges_[c[0]].high < 0 ? "a fractional power of a negative number" : "it overflows";
    };
    if (n.op == Op::power) return power();
    if (n.op != Op::call) return "it overflows";
    switch (n.function->id) {
      case FunctionId::sqrt: return "the square root of a negative number";
      case FunctionId::log:
      case FunctionId::log2:
      case FunctionId::log10: return "the logarithm of a number that is not positive";
      case FunctionId::clamp: return "its lower bound is above its upper bound";
      case FunctionId::pow: return power();
      default: return "it overflows";
    }
  }

  void check_digits(std::uint32_t i) {
    const Interval& digits = ranges_[i];
    const bool fits = digits.is_constant() && digits.defined == Defined::always &&
                      digits.low >= 0 && digits.low <= 15 && digits.low == std::floor(digits.low);
    if (!fits)
      add(Code::wrong_argument, i,
          fmt::format("`round` takes a constant from 0 to 15 as digits, not `{}`", text(i)),
          "write `round(x, 2)`");
  }

  const Tree& tree_;
  const base::Passage& text_;
  std::span<const Input> inputs_;
  std::span<const Interval> metrics_;
  base::Diagnostics& out_;
  std::vector<std::uint32_t> numbers_;  // equal for equal sub-expressions
  std::vector<bool> broken_;            // contains a mistake that the parser reported
  std::vector<Interval> ranges_;
  std::vector<Context> contexts_;
  std::vector<Guard> guards_;
};

}  // namespace

Interval check(const Tree& tree, const base::Passage& text, std::span<const Input> inputs,
               std::span<const Interval> metrics, base::Diagnostics& out) {
  return Checker(tree, text, inputs, metrics, out).run();
}

}  // namespace vibe::formula
