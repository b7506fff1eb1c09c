// Explanation: a formula's value broken down: each sub-expression with its result, down to the
// variables. Chains of one kind (`a + b - c`) are one level. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "formula/evaluate.h"

namespace vibe::formula {

struct Explanation {
  std::string expr;
  double value = kUndefined;
  Unit unit = Unit::none;  // for a variable
  Op op = Op::number;
  std::string_view function;  // for a call
  std::string_view joint;     // in a chain, the operator before it
  std::vector<Explanation> children;
};

Explanation explain(const Evaluation& evaluation, std::size_t formula);

// The tree as text, to print below the score; each line is indented and ends with a line break.
std::string to_text(const Explanation& explanation);

void write_json(base::JsonWriter& json,
                const Explanation& explanation);  // `{expr, value, children}`

}  // namespace vibe::formula
