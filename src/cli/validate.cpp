#include "app/suites/validate.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "wire/diagnostics.h"

namespace vibe::cli {

namespace {

std::size_t warnings(const base::Diagnostics& diagnostics) {
  const auto& all = diagnostics.all();
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [](const auto& d) { return d.severity == base::Severity::warning; }));
}

std::string verdict(const app::Validated& validated) {
  const std::string file = base::printable(validated.file);
  const auto warned = warnings(validated.diagnostics);
  const std::string suffix =
      warned > 0 ? fmt::format(", {}", base::counted(warned, "warning")) : "";
  if (!validated.suite)
    return fmt::format("{}: {}{}\n", file, base::counted(validated.diagnostics.errors(), "error"),
                       suffix);
  return fmt::format("{}: valid, {}{}, score: {}\n", file,
                     base::counted(validated.suite->evals.size(), "eval"), suffix,
                     base::printable(base::fold_white_space(validated.suite->score.formula)));
}

}  // namespace

Exit run_validate(const Arguments& arguments, Terminal& terminal) {
  if (std::count(arguments.positional.begin(), arguments.positional.end(), "-") > 1) {
    base::Diagnostics diagnostics;
    diagnostics.add(base::Code::bad_usage, {}, "standard input (`-`) can be read only once");
    terminal.show(diagnostics);
    return Exit::bad_usage;
  }
  bool failed = false;
  std::vector<base::Diagnostics> found;
  for (const auto& path : arguments.positional) {
    auto validated = app::validate(path, {arguments.has("--strict"), arguments.has("--verbose")});
    failed |= validated.diagnostics.failed();
    if (!arguments.has("--json")) {
      terminal.show(validated.diagnostics);
      terminal.out += verdict(validated);
    }
    found.push_back(std::move(validated.diagnostics));
  }
  if (arguments.has("--json")) terminal.out += wire::diagnostics_json(found);
  return failed ? Exit::bad_usage : Exit::passed;
}

}  // namespace vibe::cli
