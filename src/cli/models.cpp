#include "report/models.h"

#include <fmt/format.h>

#include "app/runs/list_models.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "config/config.h"
#include "wire/models.h"

namespace vibe::cli {

Exit run_get_models(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const auto config = config::load(found, terminal.overrides);
  if (!config) return fail(found, terminal);
  const std::string pattern = arguments.positional.empty() ? "" : arguments.positional[0];
  const auto list = app::find_models(*config, pattern, found);
  if (!list) return fail(found, terminal);
  terminal.show(found);
  if (arguments.has("--json")) {
    terminal.out += wire::models_json(*list);
    return Exit::passed;
  }
  if (list->models.empty())
    terminal.out +=
        fmt::format("No model with a known price matches `{}`.\n\n", base::printable(pattern));
  terminal.out += report::model_table(*list, style_of(terminal));
  return Exit::passed;
}

}  // namespace vibe::cli
