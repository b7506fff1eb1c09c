#include <cmath>

#include <fmt/format.h>

#include "app/suites/check_formula.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "formula/function.h"
#include "wire/diagnostics.h"

namespace vibe::cli {

namespace {

std::string bound(double value) {
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  return fmt::format("{:.6g}", value == 0 ? 0.0 : value);  // without the sign of -0
}

// The names that the formula uses, and the values it can give.
std::string description(const formula::Program& program) {
  std::string out = "valid";
  const auto& range = program.score().range;
  if (range.low == range.high)
    out += fmt::format(", always {}", bound(range.low));
  else if (!std::isinf(range.low) || !std::isinf(range.high))
    out += fmt::format(", {} to {}", bound(range.low), bound(range.high));
  if (range.defined != formula::Defined::always) out += ", can be undefined";
  out += "\n";
  for (const auto& input : program.inputs)
    out += fmt::format("  uses {}\n", base::printable(input.name));
  return out;
}

}  // namespace

Exit run_formula_check(const Arguments& arguments, Terminal& terminal) {
  const auto checked = app::check_formula(
      {arguments.positional[0], arguments.get("--suite"), arguments.has("--strict")});
  if (arguments.has("--json")) {
    terminal.out += wire::diagnostics_json({&checked.diagnostics, 1});
  } else {
    terminal.show(checked.diagnostics);
    if (checked.program) terminal.out += description(*checked.program);
  }
  return checked.program ? Exit::passed : Exit::bad_usage;
}

Exit run_formula_functions(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("--json")) {
    base::JsonWriter json(base::JsonWriter::Layout::indented);
    json.begin_array();
    for (const auto& function : formula::kFunctions) {
      json.begin_object()
          .key("name")
          .string(function.name)
          .key("signature")
          .string(function.signature);
      json.key("doc").string(function.doc).key("example").string(function.example);
      json.key("value").number(function.example_value).end_object();
    }
    json.end_array();
    terminal.out += json.text() + "\n";
    return Exit::passed;
  }
  for (const auto& function : formula::kFunctions)
    terminal.out += fmt::format("{}\n    {}\n    {} = {}\n", function.signature, function.doc,
                                function.example, function.example_value);
  return Exit::passed;
}

}  // namespace vibe::cli
