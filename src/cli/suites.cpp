#include "app/suites/suites.h"

#include <limits>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/open_store.h"
#include "report/kept.h"
#include "wire/kept.h"

namespace vibe::cli {

using base::Code;

Exit run_get_suites(const Arguments& arguments, Terminal& terminal) {
  const auto opened = open_store(terminal, app::Need::reading);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  const auto suites = workspace.archive().suites().list();
  if (!suites) return fail(suites.error(), terminal);
  return show_list(
      arguments, *suites,
      "There are no suites yet. `vibe set suite -f suite.yaml` stores one, and so does `vibe "
      "check`.\n",
      wire::suites_json,
      [&](const auto& list) {
        return report::suite_table(list, base::now_millis(), style_of(terminal));
      },
      terminal);
}

Exit run_get_suite(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const auto version =
      integer(arguments, "--version", found, 1, std::numeric_limits<std::int32_t>::max());
  if (version && arguments.has("--history"))
    found.add(Code::bad_usage, {}, "`--version` and `--history` cannot be combined");
  if (found.failed()) return fail(found, terminal);
  const auto opened = open_store(terminal, app::Need::reading);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  const std::string& name = arguments.positional[0];
  if (arguments.has("--history")) {
    const auto versions = app::suite_versions(workspace.archive().suites(), name);
    if (!versions) return fail(versions.error(), terminal);
    terminal.out += arguments.has("--json") ? wire::versions_json(*versions)
                                            : report::version_table(*versions, style_of(terminal));
    return Exit::passed;
  }
  const auto suite =
      app::find_suite(workspace.archive().suites(), name,
                      version ? std::optional(static_cast<std::uint32_t>(*version)) : std::nullopt);
  if (!suite) return fail(suite.error(), terminal);
  terminal.out_is_data = true;
  terminal.out += arguments.has("--json") ? wire::suite_json(*suite) : suite->text;
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
      saved->changed ? "saved as version" : "is unchanged: it is still version";
  terminal.out +=
      fmt::format("Suite {} {} {}. `vibe check {}` runs it.\n", base::printable(saved->suite.name),
                  what, saved->suite.version, base::printable(saved->suite.name));
  return Exit::passed;
}

}  // namespace vibe::cli
