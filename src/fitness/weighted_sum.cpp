#include "fitness/weighted_sum.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/text.h"

namespace vibe::fitness {

using formula::FunctionId;
using formula::Node;
using formula::Op;
using formula::Tree;

namespace {

class Shape {
 public:
  explicit Shape(const Tree& tree) : tree_(tree) {}

  std::optional<WeightedSum> read() {
    std::uint32_t at = tree_.root();
    if (is_round(at)) {
      const auto arguments = children(at);
      out_.digits = 0;
      if (arguments.size() == 2) {
        const auto digits = number(arguments[1]);
        if (!digits) return std::nullopt;
        out_.digits = digits;
      }
      at = arguments[0];
    }
    at = without_factor(at);
    if (!add_terms(at) || out_.terms.empty()) return std::nullopt;
    return std::move(out_);
  }

 private:
  const Node& node(std::uint32_t i) const { return tree_.nodes[i]; }
  std::span<const std::uint32_t> children(std::uint32_t i) const {
    return tree_.children_of(node(i));
  }
  bool is_sum(std::uint32_t i) const { return node(i).op == Op::add || node(i).op == Op::subtract; }
  bool is_round(std::uint32_t i) const {
    return node(i).op == Op::call && node(i).function->id == FunctionId::round;
  }

  std::optional<double> number(std::uint32_t i) const {
    switch (node(i).op) {
      case Op::number: return node(i).number;
      case Op::plus: return number(children(i)[0]);
      case Op::negate: {
        const auto value = number(children(i)[0]);
        return value ? std::optional(-*value) : std::nullopt;
      }
      case Op::multiply: {
        const auto left = number(children(i)[0]), right = number(children(i)[1]);
        return left && right ? std::optional(*left * *right) : std::nullopt;
      }
      default: return std::nullopt;
    }
  }

  // `NUMBER * (a sum)`, in either order; otherwise the number belongs to a term.
  std::uint32_t without_factor(std::uint32_t i) {
    if (node(i).op != Op::multiply) return i;
    const auto pair = children(i);
    for (const auto& [one, other] : {std::pair(pair[0], pair[1]), std::pair(pair[1], pair[0])})
      if (const auto factor = number(one); factor && is_sum(other)) {
        out_.factor = *factor;
        return other;
      }
    return i;
  }

  // Adds the terms of a left-deep chain of additions.
  bool add_terms(std::uint32_t i) {
    while (is_sum(i)) {
      const auto pair = children(i);
      if (!add_term(pair[1], node(i).op == Op::subtract)) return false;
      i = pair[0];
    }
    if (!add_term(i, false)) return false;
    std::reverse(out_.terms.begin(), out_.terms.end());
    return true;
  }

  bool add_term(std::uint32_t i, bool subtracted) {
    bool negative = subtracted;
    while (node(i).op == Op::negate || node(i).op == Op::plus) {
      negative ^= node(i).op == Op::negate;
      i = children(i)[0];
    }
    WeightedSum::Term term{.weight = 1, .node = i};
    if (node(i).op == Op::multiply) {
      const auto pair = children(i);
      const std::size_t which = number(pair[0]) ? 0 : 1;
      const auto weight = number(pair[which]);
      term.node = pair[1 - which];
      if (!weight || number(term.node)) return false;
      term.weight = *weight;
    } else if (node(i).op != Op::input && node(i).op != Op::metric && node(i).op != Op::call) {
      return false;
    }
    if (negative) term.weight = -term.weight;
    out_.terms.push_back(term);
    return true;
  }

  const Tree& tree_;
  WeightedSum out_;
};

}  // namespace

double WeightedSum::all() const {
  double sum = 0;
  for (const Term& term : terms)
    if (term.weight > 0) sum += term.weight;
  return sum;
}

std::optional<WeightedSum> weighted_sum(const Tree& tree) {
  return tree.nodes.empty() ? std::nullopt : Shape(tree).read();
}

std::string text_of(const formula::Formula& formula, const WeightedSum::Term& term) {
  return base::fold_white_space(base::slice(formula.text, formula.tree.nodes[term.node].span));
}

}  // namespace vibe::fitness
