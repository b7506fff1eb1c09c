// The commands for beginners: `init`, `schema`, `doctor`, and the output of bare `vibe`.
#include <fmt/format.h>

#include "app/doctor.h"
#include "app/suites/init_suite.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "config/config.h"
#include "report/suite_schema.h"

namespace vibe::cli {

namespace {

std::string_view state_word(app::Examined::State state) {
  switch (state) {
    case app::Examined::State::good: return "ok";
    case app::Examined::State::absent: return "none";
    case app::Examined::State::bad: return "bad";
  }
  std::abort();
}

}  // namespace

std::string first_steps() {
  return "vibe: score language-model evals with your own formulas\n\n  vibe init                 "
         "write a first suite, suite.yaml\n  vibe check suite.yaml     run it: answers, checks, "
         "one score\n  vibe get runs             list the runs so far\n\n`vibe help` lists all "
         "commands.\n";
}

Exit run_init(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const auto config = config::load(found);
  if (!config) return fail(found, terminal);
  const std::string path =
      arguments.positional.empty() ? "suite.yaml" : arguments.positional.front();
  const auto started = app::init_suite(path, arguments.has("--force"), *config);
  if (!started) return fail(started.error(), terminal);
  if (arguments.has("--json")) {
    base::JsonWriter json;
    json.begin_object().key("path").string(started->path);
    json.key("model").string(started->model).end_object();
    terminal.out += json.text() + "\n";
    return Exit::passed;
  }
  terminal.out += fmt::format(
      "wrote {0}, for the model `{1}`{2}\n\nNext:\n  vibe validate {0}\n"
      "  vibe check {0}\n  vibe check {0} --explain\n",
      app::shell_word(started->path), base::printable(started->model),
      started->has_key ? "" : " (no provider key is set)");
  return Exit::passed;
}

Exit run_schema(const Arguments&, Terminal& terminal) {
  terminal.out += report::suite_schema();
  return Exit::passed;
}

Exit run_doctor(const Arguments& arguments, Terminal& terminal) {
  const auto examined =
      app::examine({.offline = arguments.has("--offline"), .overrides = terminal.overrides});
  terminal.show(examined.problems);
  if (arguments.has("--json")) {
    base::JsonWriter json(base::JsonWriter::Layout::indented);
    json.begin_array();
    for (const auto& one : examined.all) {
      json.begin_object().key("what").string(one.what).key("state").string(state_word(one.state));
      json.key("finding").string(one.finding).key("advice").string(one.advice).end_object();
    }
    terminal.out += json.end_array().text() + "\n";
  } else {
    for (const auto& one : examined.all) {
      terminal.out += fmt::format("{:<5}{}: {}\n", state_word(one.state), one.what, one.finding);
      if (!one.advice.empty()) terminal.out += fmt::format("     {}\n", one.advice);
    }
    terminal.out += examined.healthy() ? "Everything that is set up works.\n"
                                       : "Something is wrong: see the lines marked `bad`.\n";
  }
  return examined.healthy() ? Exit::passed : Exit::incomplete;
}

}  // namespace vibe::cli
