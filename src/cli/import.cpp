// `vibe import`: suites from other tools' configurations.
#include <fmt/format.h>

#include "app/suites/import_promptfoo.h"
#include "app/suites/init_suite.h"
#include "base/json.h"
#include "cli/commands.h"

namespace vibe::cli {

namespace {

std::string joined(const std::vector<std::string>& models) {
  std::string out;
  for (const auto& model : models) out += (out.empty() ? "" : ",") + model;
  return out;
}

// What an imported suite still lacks: `state a model, write checks for 1 of 2 evals`.
std::string missing(const import::Imported& imported) {
  std::string out;
  const auto add = [&](std::string text) { out += (out.empty() ? "" : ", ") + std::move(text); };
  if (imported.models.empty()) add("add a model");
  if (imported.without_prompt > 0)
    add(fmt::format("write prompts for {} of {} evals", imported.without_prompt, imported.evals));
  if (imported.without_checks > 0)
    add(fmt::format("write checks for {} of {} evals", imported.without_checks, imported.evals));
  return out.empty() ? "fix what `vibe validate` reports" : out;
}

std::string import_json(const import::Imported& imported, const app::ImportRequest& request,
                        const app::ImportedSuite& done) {
  base::JsonWriter json(base::JsonWriter::Layout::indented);
  json.begin_object();
  json.key("path");
  if (request.output)
    json.string(*request.output);
  else
    json.null();
  json.key("suite").string(imported.suite);
  json.key("models").begin_array();
  for (const auto& model : imported.models) json.string(model);
  json.end_array();
  json.key("evals").integer(static_cast<std::int64_t>(imported.evals));
  json.key("cases").integer(static_cast<std::int64_t>(imported.cases));
  json.key("checks").integer(static_cast<std::int64_t>(imported.checks));
  json.key("validates").boolean(done.validates);
  json.key("left_out").begin_array();
  for (const auto& one : done.diagnostics.all()) write_json(json, one);
  return json.end_array().end_object().text() + "\n";
}

}  // namespace

Exit run_import_promptfoo(const Arguments& arguments, Terminal& terminal) {
  const app::ImportRequest request{.config = arguments.positional[0],
                                   .output = arguments.get("--output"),
                                   .replace = arguments.has("--force"),
                                   .strict = arguments.has("--strict")};
  const auto done = app::import_promptfoo(request);
  terminal.show(done.diagnostics);
  if (!done.imported) return Exit::bad_usage;
  const auto& imported = *done.imported;
  const Exit exit = done.validates ? Exit::passed : Exit::gate_failed;
  if (arguments.has("--json")) {
    terminal.out += import_json(imported, request, done);
    return exit;
  }
  if (!request.output) {
    terminal.out_is_data = true;
    terminal.out += imported.suite;
    if (!done.validates)
      terminal.err += fmt::format("The suite does not validate yet: {}.\n", missing(imported));
    return exit;
  }
  const std::string path = app::shell_word(*request.output);
  terminal.out += fmt::format("wrote {}: evals {}, cases {}, checks {}, not carried over {}\n",
                              path, imported.evals, imported.cases, imported.checks,
                              done.diagnostics.all().size() + done.diagnostics.dropped());
  if (!done.validates) {
    terminal.out +=
        fmt::format("It does not validate yet.\n\nNext:\n  edit {0}: {1}\n  vibe validate {0}\n",
                    path, missing(imported));
    return exit;
  }
  const std::string models = imported.models.size() > 1
                                 ? " -m " + app::shell_word(joined(imported.models))
                                 : std::string();
  terminal.out += fmt::format("\nNext:\n  vibe validate {0}\n  vibe check {0}{1}\n", path, models);
  return exit;
}

}  // namespace vibe::cli
