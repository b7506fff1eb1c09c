#include "formula/evaluate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "formula/arithmetic.h"

namespace vibe::formula {

Evaluation::Evaluation(const Program& program, std::span<const double> inputs)
    : program_(&program), values_(program.formulas.size()) {
  for (const std::uint32_t f : program.order) {
    const Tree& tree = program.formulas[f].tree;
    auto& values = values_[f];
    values.resize(tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const Node& node = tree.nodes[i];
      if (node.op == Op::number)
        values[i] = node.number;
      else if (node.op == Op::input)
        values[i] = arithmetic::settle(inputs[node.index]);
      else if (node.op == Op::metric)
        values[i] = value(node.index);
      else
        values[i] = apply(tree, node, values);
    }
  }
}

namespace {

// Traces an undefined value to its cause.
class Blame {
 public:
  Blame(const Evaluation& evaluation, std::size_t formula)
      : evaluation_(evaluation),
        formula_(formula),
        tree_(evaluation.program().formulas[formula].tree) {}

  Cause cause() const {
    std::uint32_t parent = tree_.root(), culprit = parent;
    for (std::uint32_t next = undefined_child(culprit); next != culprit;
         next = undefined_child(culprit)) {
      parent = culprit;
      culprit = next;
    }
    const Node& node = tree_.nodes[culprit];
    if (node.op == Op::input) {
      const Input& input = evaluation_.program().inputs[node.index];
      return {&input, of_input(input, parent)};
    }
    if (node.op != Op::metric) return {nullptr, of_operation(culprit)};
    Cause below = cause_of_undefined(evaluation_, node.index);
    below.sentence = fmt::format("metric `{}` is undefined: {}",
                                 evaluation_.program().formulas[node.index].name, below.sentence);
    return below;
  }

 private:
  double value(std::uint32_t i) const { return evaluation_.value(formula_, i); }
  std::string text(std::uint32_t i) const {
    const auto span = tree_.nodes[i].span;
    return base::fold_white_space(base::slice(evaluation_.program().formulas[formula_].text, span));
  }

  // The operand that made a node undefined; the node itself if it was none of them.
  std::uint32_t undefined_child(std::uint32_t i) const {
    const Node& node = tree_.nodes[i];
    const auto children = tree_.children_of(node);
    const auto undefined = [&](std::uint32_t child) { return std::isnan(value(child)); };
    if (node.op == Op::call && node.function->id == FunctionId::if_) {
      if (undefined(children[0])) return children[0];
      return value(children[0]) != 0 ? children[1] : children[2];
    }
    if (node.op == Op::call && node.function->id == FunctionId::default_) return children[1];
    const auto found = std::find_if(children.begin(), children.end(), undefined);
    return found == children.end() ? i : *found;
  }

  std::string of_input(const Input& input, std::uint32_t parent) const {
    if (input.figure) return fmt::format("{} is undefined in \"{}\"", input.name, text(parent));
    std::string_view reason = row_of(input.column).none_known;
    if (input.statistic == Statistic::stddev) reason = "too few samples";
    if (is_by_question(input.statistic))
      return fmt::format("an eval has fewer than {} answers: {} is undefined in \"{}\"",
                         input.constant, input.name, text(parent));
    return fmt::format("{}: {} is undefined in \"{}\"", reason, input.name, text(parent));
  }

  std::string of_operation(std::uint32_t i) const {
    const Node& node = tree_.nodes[i];
    const auto children = tree_.children_of(node);
    if (node.op == Op::divide && value(children[1]) == 0)
      return fmt::format("division by zero: {} in \"{}\"", state(children[1]), text(i));
    return fmt::format("{}: {} in \"{}\"", reason(node), states(children), text(i));
  }

  std::string_view reason(const Node& node) const {
    const auto children = tree_.children_of(node);
    const auto power = [&]() -> std::string_view {
      if (value(children[0]) == 0) return "zero to a negative power";
      return value(children[0]) < 0 && value(children[1]) != std::floor(value(children[1]))
                 ? "fractional power of a negative number"
                 : "overflow";
    };
    if (node.op == Op::power) return power();
    if (node.op != Op::call) return "overflow";
    switch (node.function->id) {
      case FunctionId::sqrt: return "square root of a negative number";
      case FunctionId::log:
      case FunctionId::log2:
      case FunctionId::log10: return "logarithm of a number that is not positive";
      case FunctionId::clamp: return "lower bound above upper bound";
      case FunctionId::pow: return power();
      default: return "overflow";
    }
  }

  // `total_cost is 0`; a compound operand is followed by the variables in it.
  std::string state(std::uint32_t i) const {
    std::string out = fmt::format("{} is {:.6g}", text(i), value(i));
    const std::string variables = tree_.nodes[i].child_count > 0 ? variables_of(i) : std::string();
    if (!variables.empty()) out += fmt::format(" ({})", variables);
    return out;
  }
  std::string states(std::span<const std::uint32_t> children) const {
    std::string out;
    for (const std::uint32_t child : children)
      if (tree_.nodes[child].op != Op::number) out += (out.empty() ? "" : ", ") + state(child);
    return out.empty() ? "the values are too large" : out;
  }
  // A node's sub-tree is contiguous and ends with it.
  std::string variables_of(std::uint32_t root) const {
    std::uint32_t first = root;
    while (tree_.nodes[first].child_count > 0) first = tree_.children_of(tree_.nodes[first])[0];
    constexpr std::size_t kMost = 8;
    std::vector<std::string> seen;
    for (std::uint32_t i = first; i < root; ++i) {
      const Op op = tree_.nodes[i].op;
      if (op != Op::input && op != Op::metric) continue;
      std::string one = std::isnan(value(i)) ? text(i) + " is undefined"
                                             : fmt::format("{} is {:.6g}", text(i), value(i));
      if (std::find(seen.begin(), seen.end(), one) == seen.end()) seen.push_back(std::move(one));
      if (seen.size() == kMost) {
        seen.emplace_back("…");
        break;
      }
    }
    return fmt::format("{}", fmt::join(seen, ", "));
  }

  const Evaluation& evaluation_;
  std::size_t formula_;
  const Tree& tree_;
};

}  // namespace

Cause cause_of_undefined(const Evaluation& evaluation, std::size_t formula) {
  return Blame(evaluation, formula).cause();
}

std::string why_undefined(const Evaluation& evaluation, std::size_t formula) {
  if (!std::isnan(evaluation.value(formula))) return {};
  return cause_of_undefined(evaluation, formula).sentence;
}

}  // namespace vibe::formula
