#include "formula/explain.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::formula {

namespace {

// The operators that form a chain with this one.
bool chains_with(Op op, Op other) {
  if (op == Op::add || op == Op::subtract) return other == Op::add || other == Op::subtract;
  if (op == Op::multiply || op == Op::divide) return other == Op::multiply || other == Op::divide;
  return (op == Op::logical_and || op == Op::logical_or) && op == other;
}

class Explainer {
 public:
  Explainer(const Evaluation& evaluation, std::size_t formula)
      : evaluation_(evaluation),
        index_(formula),
        formula_(evaluation.program().formulas[formula]) {}

  Explanation of(std::uint32_t i) const {
    const Node& node = formula_.tree.nodes[i];
    Explanation out;
    out.expr = text(node);
    out.value = evaluation_.value(index_, i);
    out.op = node.op;
    if (node.op == Op::input) out.unit = evaluation_.program().inputs[node.index].unit();
    if (node.op == Op::call) out.function = node.function->name;
    out.children = children(i);
    return out;
  }

 private:
  std::string text(const Node& node) const {
    return base::fold_white_space(base::slice(formula_.text, node.span));
  }

  std::vector<Explanation> children(std::uint32_t i) const {
    const Tree& tree = formula_.tree;
    const Op op = tree.nodes[i].op;
    std::vector<Explanation> out;
    std::uint32_t last = i;  // walk down the left side of a chain
    while (chains_with(op, tree.nodes[last].op)) {
      const auto pair = tree.children_of(tree.nodes[last]);
      out.push_back(of(pair[1]));
      out.back().joint = symbol(tree.nodes[last].op);
      last = pair[0];
    }
    if (last != i) {
      out.push_back(of(last));
      std::reverse(out.begin(), out.end());
      return out;
    }
    for (const std::uint32_t child : tree.children_of(tree.nodes[i])) {
      out.push_back(of(child));
      out.back().joint = symbol(op);
    }
    return out;
  }

  const Evaluation& evaluation_;
  std::size_t index_;
  const Formula& formula_;
};

bool is_leaf(const Explanation& e) { return e.children.empty(); }
bool is_literal(const Explanation& e) { return e.op == Op::number; }

// Weighted sums of variables are clear without further breakdown.
bool is_plain(const Explanation& e) {
  if (is_leaf(e)) return true;
  if (e.op != Op::add && e.op != Op::subtract && e.op != Op::multiply && e.op != Op::negate &&
      e.op != Op::plus)
    return false;
  return std::all_of(e.children.begin(), e.children.end(), [](const Explanation& child) {
    return child.joint != "/" && is_plain(child);
  });
}

std::string number(double value) {
  if (std::isnan(value)) return "N/A";
  return fmt::format("{:.6g}", value == 0 ? 0.0 : value);  // no `-0`
}

std::string with_unit(const Explanation& e) {
  if (std::isnan(e.value)) return "N/A";
  if (e.unit == Unit::dollars) return "$" + number(e.value);
  if (e.unit == Unit::seconds) return number(e.value) + " s";
  return number(e.value);
}

// `6 / 0.004425`, `min(3, 4)`, `-(2)`: the operation with the values of its operands.
std::string operation(const Explanation& e) {
  const auto operand = [](const Explanation& child) {
    return child.value < 0 ? fmt::format("({})", number(child.value)) : number(child.value);
  };
  std::string out;
  if (e.op == Op::call) {
    for (const auto& child : e.children) out += (out.empty() ? "" : ", ") + number(child.value);
    return fmt::format("{}({})", e.function, out);
  }
  if (e.children.size() == 1) {
    const std::string_view sign = e.children[0].joint;
    return fmt::format("{}{}{}", sign, sign == "not" ? " " : "", operand(e.children[0]));
  }
  for (const auto& child : e.children)
    out += out.empty() ? operand(child) : fmt::format(" {} {}", child.joint, operand(child));
  return out;
}

void collect_variables(const Explanation& e, std::vector<std::string>& out) {
  if (!is_leaf(e)) {
    for (const auto& child : e.children) collect_variables(child, out);
  } else if (!is_literal(e)) {
    std::string one = fmt::format("{} = {}", e.expr, with_unit(e));
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
  }
}

void write_variables(const Explanation& e, const std::string& indent, std::string& out) {
  constexpr std::size_t kWidth = 100;
  std::vector<std::string> variables;
  collect_variables(e, variables);
  std::string line;
  for (const auto& variable : variables) {
    if (!line.empty() && base::display_width(indent) + line.size() + variable.size() > kWidth) {
      out += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " · ") + variable;
  }
  if (!line.empty()) out += indent + line + "\n";
}

void write_branches(const Explanation& e, const std::string& indent, std::string& out) {
  std::vector<const Explanation*> shown;
  for (const auto& child : e.children)
    if (!is_literal(child)) shown.push_back(&child);
  for (const auto* child : shown) {
    const bool last = child == shown.back();
    out +=
        fmt::format("{}{} {} = {}\n", indent, last ? "└─" : "├─", child->expr, with_unit(*child));
    if (is_leaf(*child)) continue;
    const std::string below = indent + (last ? "     " : "│    ");
    if (is_plain(*child)) {
      write_variables(*child, below, out);
    } else {
      out += fmt::format("{}= {}\n", below, operation(*child));
      write_branches(*child, below, out);
    }
  }
}

}  // namespace

Explanation explain(const Evaluation& evaluation, std::size_t formula) {
  return Explainer(evaluation, formula).of(evaluation.program().formulas[formula].tree.root());
}

std::string to_text(const Explanation& explanation) {
  if (is_leaf(explanation)) return fmt::format("  = {}\n", with_unit(explanation));
  std::string out = fmt::format("  = {}\n", operation(explanation));
  write_branches(explanation, "  ", out);
  return out;
}

void write_json(base::JsonWriter& json, const Explanation& explanation) {
  json.begin_object();
  json.key("expr").string(explanation.expr);
  json.key("value").number(explanation.value);
  json.key("children").begin_array();
  for (const auto& child : explanation.children) write_json(json, child);
  json.end_array().end_object();
}

}  // namespace vibe::formula
