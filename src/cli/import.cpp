// `vibe import`: suites from other tools' configurations.
#include <fmt/format.h>

#include "app/import_promptfoo.h"
#include "app/init_suite.h"
#include "base/json.h"
#include "cli/commands.h"

namespace vibe::cli {

namespace {

std::string joined(const std::vector<std::string>& models) {
  std::string out;
  for (const auto& model : models) out += (out.empty() ? "" : ",") + model;
  return out;
}

std::string json(const import::Imported& imported, const app::ImportRequest& request,
                 const base::Diagnostics& diagnostics) {
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
  json.key("left_out").begin_array();
  for (const auto& one : diagnostics.all()) write_json(json, one);
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
  if (arguments.has("--json")) {
    terminal.out += json(imported, request, done.diagnostics);
    return Exit::passed;
  }
  if (!request.output) {
    terminal.out += imported.suite;
    return Exit::passed;
  }
  const std::string path = app::shell_word(*request.output);
  const std::string models = imported.models.size() > 1
                                 ? " -m " + app::shell_word(joined(imported.models))
                                 : std::string();
  terminal.out += fmt::format(
      "wrote {0}: evals {1}, cases {2}, checks {3}, not carried over {4}\n\nNext:\n"
      "  vibe validate {0}\n  vibe check {0}{5}\n",
      path, imported.evals, imported.cases, imported.checks,
      done.diagnostics.all().size() + done.diagnostics.dropped(), models);
  return Exit::passed;
}

}  // namespace vibe::cli
