#include "app/suites/values.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/open_store.h"
#include "report/kept.h"
#include "wire/kept.h"

namespace vibe::cli {

using app::ValueKind;

namespace {

std::string_view spelt(ValueKind kind) {
  return kind == ValueKind::variable ? "Variable" : "Secret";
}

// The given value; for `-`, standard input without its last line break.
base::Result<std::string> read_value(const std::string& given) {
  if (given != "-") return given;
  constexpr std::size_t kLineBreak = 2;
  auto text = base::read_file("-", store::kMostValueBytes + kLineBreak);
  if (text && text->ends_with('\n')) text->pop_back();
  if (text && text->ends_with('\r')) text->pop_back();
  return text;
}

// `{"name": …, "created": …}` or a sentence.
void say(const Arguments& arguments, std::string_view key, bool value, std::string_view sentence,
         Terminal& terminal) {
  if (!arguments.has("--json")) {
    terminal.out.append(sentence).append("\n");
    return;
  }
  base::JsonWriter json(base::JsonWriter::Layout::indented);
  json.begin_object().key("name").string(arguments.positional[0]).key(key).boolean(value);
  terminal.out += json.end_object().text() + "\n";
}

Exit set_value(ValueKind kind, const Arguments& arguments, Terminal& terminal) {
  const auto value = read_value(arguments.positional[1]);
  if (!value) return fail(value.error(), terminal);
  const auto opened = open_store(terminal);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  const std::string& name = arguments.positional[0];
  const auto is_new = app::set_value(workspace.archive().variables(), kind, name, *value);
  if (!is_new) return fail(is_new.error(), terminal);
  say(arguments, "created", *is_new,
      fmt::format("{} {} {}. Suites read it as {{{{{}('{}')}}}}.", spelt(kind), name,
                  *is_new ? "set" : "changed", to_string(kind), name),
      terminal);
  return Exit::passed;
}

Exit delete_value(ValueKind kind, const Arguments& arguments, Terminal& terminal) {
  const auto opened = open_store(terminal);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  const std::string& name = arguments.positional[0];
  if (const auto deleted = app::delete_value(workspace.archive().variables(), kind, name); !deleted)
    return fail(deleted.error(), terminal);
  say(arguments, "deleted", true, fmt::format("{} {} deleted.", spelt(kind), base::printable(name)),
      terminal);
  return Exit::passed;
}

}  // namespace

Exit run_get_vars(const Arguments& arguments, Terminal& terminal) {
  const auto opened = open_store(terminal, app::Need::reading);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  const auto variables = workspace.archive().variables().list();
  if (!variables) return fail(variables.error(), terminal);
  return show_list(
      arguments, *variables, "There are no variables yet. `vibe set var NAME VALUE` sets one.\n",
      wire::variables_json,
      [&](const auto& list) { return report::variable_table(list, style_of(terminal)); }, terminal);
}

Exit run_get_var(const Arguments& arguments, Terminal& terminal) {
  const auto opened = open_store(terminal, app::Need::reading);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  const std::string& name = arguments.positional[0];
  const auto value = app::variable_value(workspace.archive().variables(), name);
  if (!value) return fail(value.error(), terminal);
  terminal.out_is_data = true;
  terminal.out += arguments.has("--json") ? wire::variable_json({name, *value}) : *value + "\n";
  return Exit::passed;
}

Exit run_get_secrets(const Arguments& arguments, Terminal& terminal) {
  const auto opened = open_store(terminal, app::Need::reading);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  const auto names = workspace.archive().variables().secret_names();
  if (!names) return fail(names.error(), terminal);
  return show_list(
      arguments, *names, "There are no secrets yet. `vibe set secret NAME -` reads one.\n",
      wire::secrets_json,
      [](const auto& list) {
        std::string out;
        for (const auto& name : list) out += base::printable(name) + "\n";
        return out;
      },
      terminal);
}

Exit run_set_var(const Arguments& arguments, Terminal& terminal) {
  return set_value(ValueKind::variable, arguments, terminal);
}
Exit run_set_secret(const Arguments& arguments, Terminal& terminal) {
  return set_value(ValueKind::secret, arguments, terminal);
}
Exit run_delete_var(const Arguments& arguments, Terminal& terminal) {
  return delete_value(ValueKind::variable, arguments, terminal);
}
Exit run_delete_secret(const Arguments& arguments, Terminal& terminal) {
  return delete_value(ValueKind::secret, arguments, terminal);
}

}  // namespace vibe::cli
