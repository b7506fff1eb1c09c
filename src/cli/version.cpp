#include <fmt/format.h>
#include <vibe_version.h>

#include "base/json.h"
#include "cli/commands.h"

namespace vibe::cli {

std::string version() { return VIBE_VERSION; }

Exit run_version(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("--json")) {
    base::JsonWriter json;
    json.begin_object()
        .key("version")
        .string(VIBE_VERSION)
        .key("commit")
        .string(VIBE_COMMIT)
        .end_object();
    terminal.out += json.text() + "\n";
  } else {
    terminal.out += fmt::format("vibe {} ({})\n", VIBE_VERSION, VIBE_COMMIT);
  }
  return Exit::passed;
}

}  // namespace vibe::cli
