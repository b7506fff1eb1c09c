#include "statistics/values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/source.h"
#include "base/text.h"

namespace vibe::statistics {

using formula::Formula;
using formula::Node;
using formula::Op;
using formula::Program;
using formula::Tree;

namespace {

// A formula and those that it uses, each after those that it uses itself.
std::vector<std::uint32_t> needed(const Program& program, std::size_t formula) {
  std::vector<char> wanted(program.formulas.size(), 0);
  wanted[formula] = 1;
  std::vector<std::uint32_t> out;
  for (auto i = program.order.rbegin(); i != program.order.rend(); ++i) {
    if (wanted[*i] == 0) continue;
    out.insert(out.begin(), *i);
    for (const Node& node : program.formulas[*i].tree.nodes)
      if (node.op == Op::metric) wanted[node.index] = 1;
  }
  return out;
}

struct Denominator {
  std::uint32_t formula, node;
};

// By node: whether it is always evaluated. The branches of `if`, what `default` replaces, and the
// right sides of `and` and `or` are not.
std::vector<char> always_evaluated(const Tree& tree) {
  std::vector<char> out(tree.nodes.size(), 1);
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const Node& node = tree.nodes[i];
    const auto children = tree.children_of(node);
    for (std::size_t child = 0; child < children.size(); ++child) {
      bool is_certain = out[i] != 0;
      if (node.op == Op::logical_and || node.op == Op::logical_or)
        is_certain = is_certain && child == 0;
      if (node.op == Op::call && node.function->id == formula::FunctionId::if_)
        is_certain = is_certain && child == 0;
      if (node.op == Op::call && node.function->id == formula::FunctionId::default_)
        is_certain = false;
      out[children[child]] = is_certain ? 1 : 0;
    }
  }
  return out;
}

// Those that are always evaluated.
std::vector<Denominator> denominators_of(const Program& program, std::size_t formula) {
  std::vector<char> is_certain(program.formulas.size(), 0);
  is_certain[formula] = 1;
  std::vector<Denominator> out;
  auto formulas = needed(program, formula);
  std::reverse(formulas.begin(), formulas.end());  // users before what they use
  for (const std::uint32_t f : formulas) {
    if (is_certain[f] == 0) continue;
    const Tree& tree = program.formulas[f].tree;
    const auto always = always_evaluated(tree);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const Node& node = tree.nodes[i];
      if (always[i] == 0) continue;
      if (node.op == Op::metric) is_certain[node.index] = 1;
      if (node.op == Op::divide && tree.nodes[tree.children_of(node)[1]].op != Op::number)
        out.push_back({f, tree.children_of(node)[1]});
    }
  }
  return out;
}

// In postorder, a node comes right after everything below it.
Tree subtree(const Tree& tree, std::uint32_t root) {
  std::uint32_t first = root;
  while (tree.nodes[first].child_count > 0) first = tree.children_of(tree.nodes[first])[0];
  Tree out;
  for (std::uint32_t i = first; i <= root; ++i) {
    Node node = tree.nodes[i];
    node.first_child = static_cast<std::uint32_t>(out.children.size());
    for (const std::uint32_t child : tree.children_of(tree.nodes[i]))
      out.children.push_back(child - first);
    out.nodes.push_back(node);
  }
  return out;
}

// The program of one formula: its metrics keep their places, then come its denominators, then
// itself, since the last formula is the score.
Program with_denominators(const Program& program, std::size_t formula) {
  Program out;
  out.inputs = program.inputs;
  out.formulas.resize(program.formulas.size() - 1);
  for (const std::uint32_t f : needed(program, formula)) {
    if (f == formula) continue;
    out.order.push_back(f);
    out.formulas[f].tree = program.formulas[f].tree;
  }
  const auto add = [&](Formula made) {
    out.order.push_back(static_cast<std::uint32_t>(out.formulas.size()));
    out.formulas.push_back(std::move(made));
  };
  for (const auto& [f, node] : denominators_of(program, formula))
    add({{}, {}, subtree(program.formulas[f].tree, node), {}});
  add({{}, {}, program.formulas[formula].tree, {}});
  return out;
}

}  // namespace

Values::Values(const Program& program, std::size_t formula, const Plan& plan)
    : places_(program.inputs.size(), kNone),
      formulas_(program.formulas.size() - 1),
      batch_(with_denominators(program, formula)) {
  for (std::uint32_t i = 0; i < plan.inputs.size(); ++i) places_[plan.inputs[i].input] = i;
  denominators_.resize(denominators_of(program, formula).size());
  signs_.resize(denominators_.size());
}

void Values::run(std::span<const double> inputs, std::size_t stride, std::size_t rows,
                 double* out) {
  none_.resize(rows, formula::kUndefined);
  std::vector<const double*> columns;
  for (const std::uint32_t place : places_)
    columns.push_back(place == kNone ? none_.data() : inputs.data() + place * stride);
  std::vector<double*> outputs(formulas_, nullptr);
  for (auto& denominator : denominators_) {
    denominator.resize(rows);
    outputs.push_back(denominator.data());
  }
  outputs.push_back(out);
  batch_.run(columns, rows, outputs);
  for (std::size_t i = 0; i < denominators_.size(); ++i)
    for (std::size_t row = 0; row < rows; ++row) {
      signs_[i].above = signs_[i].above || denominators_[i][row] > 0;
      signs_[i].below = signs_[i].below || denominators_[i][row] < 0;
    }
}

bool Values::change(std::span<const Signs> signs) {
  return std::any_of(signs.begin(), signs.end(),
                     [](const Signs& seen) { return seen.above && seen.below; });
}

std::string denominator_text(const Program& program, std::size_t formula, std::size_t number) {
  const auto [f, node] = denominators_of(program, formula)[number];
  const Formula& of = program.formulas[f];
  return base::fold_white_space(base::slice(of.text, of.tree.nodes[node].span));
}

}  // namespace vibe::statistics
