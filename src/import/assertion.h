// promptfoo assertions as vibe checks, one row per type.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/template.h"

namespace vibe::import {

struct Assertion {
  std::string type;  // without `not-`
  bool negated = false;
  std::vector<std::string> values;  // text, with vibe templates; one per item of a list
  std::string schema;               // a JSON Schema, as JSON
  std::optional<double> threshold;
};

// A line of a suite's `checks`: a check on one line, or a comment.
struct Line {
  bool comment = false;
  std::string text;  // `max_latency: 2`
  bool operator==(const Line&) const = default;
};
using Lines = std::vector<Line>;

struct AssertionKind {
  std::string_view type;     // promptfoo's name
  std::string_view becomes;  // our check; empty: it is left out
  std::string_view remark;   // the difference, or why it is left out
  bool negatable;            // its `not-` form can be carried over
  Lines (*convert)(const Assertion& assertion, const Vars& vars);  // null: it is left out
};

std::span<const AssertionKind> assertion_kinds();
const AssertionKind* find_assertion_kind(std::string_view type);

// The checks, or comments that say what was left out, and why.
Lines convert(const Assertion& assertion, const Vars& vars);

// Reads an assertion in the form of test tables: `contains: Paris`, `similar(0.8): text`; bare text
// is `equals`.
Assertion read_expectation(std::string_view text);

}  // namespace vibe::import
