// Tree: a parsed formula with resolved names, not yet checked for sense. Nodes are in postorder:
// children before their parent, the root last, so that a loop over them evaluates the tree without
// recursion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formula/function.h"
#include "formula/input.h"
#include "formula/names.h"

namespace vibe::formula {

inline constexpr std::size_t kMaxFormulaBytes = 4096;
inline constexpr std::size_t kMaxNodes = 1024;
inline constexpr std::size_t kMaxDepth = 64;
inline constexpr std::size_t kMaxMetrics = 64;

enum class Op : std::uint8_t {
  number,
  input,
  metric,
  negate,
  plus,
  logical_not,
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  call,
  invalid,  // text that could not be parsed; never in a tree that is evaluated
};

std::string_view symbol(Op op);  // "+", "and", …; empty for the others

struct Node {
  Op op = Op::invalid;
  const Function* function = nullptr;              // for a call
  double number = 0;                               // for a number
  std::uint32_t index = 0;                         // for an input or a metric
  std::uint32_t first_child = 0, child_count = 0;  // into Tree::children
  base::Span span;  // in the formula's text, without enclosing parentheses
};

struct Tree {
  std::vector<Node> nodes;
  std::vector<std::uint32_t> children;  // node indices, each node's children together

  std::span<const std::uint32_t> children_of(const Node& node) const {
    return {children.data() + node.first_child, node.child_count};
  }
  std::uint32_t root() const { return static_cast<std::uint32_t>(nodes.size()) - 1; }
};

// Adds the inputs that the formula needs to `inputs`, without duplicates. Reports every mistake;
// the tree is usable only if there was none. Linear in the formula's length, whatever its bytes.
Tree parse(const base::Passage& formula, const Names& names, Inputs& inputs,
           base::Diagnostics& out);

}  // namespace vibe::formula
