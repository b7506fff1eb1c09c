#include <fmt/format.h>

#include "app/read_executions.h"
#include "base/text.h"
#include "cli/commands.h"
#include "report/executions.h"

namespace vibe::cli {

Exit run_fitness_show(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics usage;
  const bool json = arguments.has("--json"), jsonl = arguments.has("--jsonl");
  const auto threads = integer(arguments, "--threads", usage, 1, 256);
  if (json && jsonl)
    usage.add(base::Code::bad_usage, {}, "`--json` and `--jsonl` exclude each other");
  if (usage.failed()) return fail(usage, terminal);
  const bool calls = arguments.has("--calls");
  const auto read =
      app::read_executions({.logs = arguments.positional,
                            .format = arguments.get("--format"),
                            .keep_calls = calls || json,
                            .threads = static_cast<std::size_t>(threads.value_or(0))});
  if (read.newest)
    terminal.err += fmt::format("the newest session: {}\n", base::printable(*read.newest));
  const report::TextStyle style{terminal.out_color, terminal.out_width};
  if (json) {
    terminal.out += report::executions_json(read.executions);
  } else if (jsonl) {
    terminal.out += report::executions_jsonl(read.executions, calls);
  } else if (!read.executions.empty()) {
    if (calls) terminal.out += report::timelines(read.executions, style);
    terminal.out += report::execution_table(read.executions, style);
  }
  if (read.diagnostics.failed()) return fail(read.diagnostics, terminal);
  terminal.show(read.diagnostics);
  return Exit::passed;
}

}  // namespace vibe::cli
