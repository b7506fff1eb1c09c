#include "app/suites/suites.h"

#include <limits>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/commands.h"
#include "cli/open_store.h"
#include "report/kept.h"

namespace vibe::cli {

using base::Code;

Exit run_get_suites(const Arguments& arguments, Terminal& terminal) {
  const auto opened = open_store(terminal, app::Need::reading);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  const auto suites = workspace.archive().suites().list();
  if (!suites) return fail(suites.error(), terminal);
  if (arguments.has("--json"))
    terminal.out += report::suites_json(*suites);
  else if (suites->empty())
    terminal.out +=
        "There are no suites yet. `vibe set suite -f suite.yaml` stores one, as does `vibe "
        "check`.\n";
  else
    terminal.out +=
        report::suite_table(*suites, base::now_millis(), {terminal.out_color, terminal.out_width});
  return Exit::passed;
}

Exit run_get_suite(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const auto version =
      integer(arguments, "--version", found, 1, std::numeric_limits<std::int32_t>::max());
  if (version && arguments.has("--history"))
    found.add(Code::bad_usage, {}, "`--version` and `--history` exclude each other");
  if (found.failed()) return fail(found, terminal);
  const auto opened = open_store(terminal, app::Need::reading);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  const std::string& name = arguments.positional[0];
  if (arguments.has("--history")) {
    const auto versions = app::suite_versions(workspace.archive().suites(), name);
    if (!versions) return fail(versions.error(), terminal);
    terminal.out +=
        arguments.has("--json")
            ? report::versions_json(*versions)
            : report::version_table(*versions, {terminal.out_color, terminal.out_width});
    return Exit::passed;
  }
  const auto suite =
      app::find_suite(workspace.archive().suites(), name,
                      version ? std::optional(static_cast<std::uint32_t>(*version)) : std::nullopt);
  if (!suite) return fail(suite.error(), terminal);
  terminal.out_is_data = true;
  terminal.out += arguments.has("--json") ? report::suite_json(*suite) : suite->text;
  return Exit::passed;
}

Exit run_set_suite(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const auto file = arguments.get("--file");
  if (!file) {
    found.add(Code::bad_usage, {}, "`vibe set suite` needs a file", "write `-f suite.yaml`");
    return fail(found, terminal);
  }
  const auto opened = open_store(terminal);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  const auto saved = app::save_suite(workspace, *file, arguments.has("--strict"), found);
  if (!saved) return fail(found, terminal);
  terminal.show(found);
  if (arguments.has("--json")) {
    base::JsonWriter json(base::JsonWriter::Layout::indented);
    json.begin_object().key("name").string(saved->suite.name);
    json.key("version").integer(saved->suite.version);
    json.key("changed").boolean(saved->changed).end_object();
    terminal.out += json.text() + "\n";
    return Exit::passed;
  }
  const std::string_view what =
      saved->changed ? "saved as version" : "has not changed: it is still version";
  terminal.out +=
      fmt::format("Suite {} {} {}. `vibe check {}` runs it.\n", base::printable(saved->suite.name),
                  what, saved->suite.version, base::printable(saved->suite.name));
  return Exit::passed;
}

}  // namespace vibe::cli
