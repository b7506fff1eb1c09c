// Assertions of promptfoo as checks of ours, one row for each type.
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
  std::vector<std::string> values;  // text, with templates as ours; of a list each item
  std::string schema;               // of JSON, as JSON
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
  std::string_view type;     // as promptfoo names it
  std::string_view becomes;  // our check; empty: it is left out
  std::string_view remark;   // what is different, or why it is left out
  bool negatable;            // `not-` of it can be carried over
  Lines (*convert)(const Assertion& assertion, const Vars& vars);  // null: it is left out
};

std::span<const AssertionKind> assertion_kinds();
const AssertionKind* find_assertion_kind(std::string_view type);

// The checks; or comments that say what was left out, and why.
Lines convert(const Assertion& assertion, const Vars& vars);

// An assertion as tables of tests write it: `contains: Paris`, `similar(0.8): text`; bare text
// is `equals`.
Assertion read_expectation(std::string_view text);

}  // namespace vibe::import
