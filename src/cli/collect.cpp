#include "app/agents/collect.h"

#include <algorithm>
#include <exception>

#include <unistd.h>

#include <fmt/format.h>

#include "app/agents/agent_home.h"
#include "app/agents/hook_settings.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "config/config.h"

namespace vibe::cli {

namespace {

constexpr std::string_view kInstall = "--install", kUninstall = "--uninstall",
                           kProject = "--project", kAgent = "--agent", kAsJson = "--json";

void check_usage(const Arguments& arguments, base::Diagnostics& out) {
  const bool installs = arguments.has(kInstall), uninstalls = arguments.has(kUninstall);
  const auto agent = arguments.get(kAgent);
  if (installs && uninstalls)
    out.add(base::Code::bad_usage, {}, "`--install` and `--uninstall` cannot be combined");
  for (const std::string_view option : {kProject, kAsJson})
    if (arguments.has(option) && !installs && !uninstalls)
      out.add(base::Code::bad_usage, {},
              fmt::format("`{}` needs `--install` or `--uninstall`", option));
  if (agent && base::trim(*agent).empty())
    out.add(base::Code::bad_usage, {}, "`--agent` takes a name: `reviewer@v2`");
  if (agent && uninstalls)
    out.add(base::Code::bad_usage, {}, "`--agent` and `--uninstall` cannot be combined");
}

Exit show_installed(const app::Installed& done, const Arguments& arguments, Terminal& terminal) {
  const bool installs = arguments.has(kInstall);
  if (arguments.has(kAsJson)) {
    base::JsonWriter json(base::JsonWriter::Layout::indented);
    json.begin_object();
    json.key("file").string(done.file);
    json.key("changed_events").integer(static_cast<std::int64_t>(done.events));
    json.key("events").begin_array();
    if (installs)
      for (const auto& event : app::kHookEvents) json.string(event.name);
    json.end_array();
    json.key("command");
    installs ? json.string(done.command) : json.null();
    json.end_object();
    terminal.out += json.text() + "\n";
    return Exit::passed;
  }
  const std::string file = base::printable(app::with_tilde(done.file));
  const std::string count = done.events == 1 ? "1 event" : fmt::format("{} events", done.events);
  if (installs && done.events > 0)
    terminal.out += fmt::format("{}: added hooks for {}\n", file, count);
  else if (installs)
    terminal.out += fmt::format("{}: the hooks are already there\n", file);
  else if (done.events > 0)
    terminal.out += fmt::format("{}: removed the hooks for {}\n", file, count);
  else
    terminal.out += fmt::format("{}: it has no `vibe` hooks\n", file);
  return Exit::passed;
}

// A person or a setup script sees the error. A hook command has no reader but the agent, which
// takes bad usage as a reason not to use its tool.
Exit misused(bool sets_up, const base::Diagnostics& problems, Terminal& terminal) {
  const Exit exit = fail(problems, terminal);
  if (sets_up || isatty(STDIN_FILENO) == 1) return exit;
  base::Diagnostics ignored;
  if (const auto home = config::home(ignored))
    for (const auto& problem : problems.all())
      app::note_collect_problem(*home, fmt::format("the hook command: {}", problem.message));
  return Exit::passed;
}

// The agent waits, and treats any other exit code, and anything on standard output, as a message.
Exit collect_event(const std::string& home, const std::string& agent) {
  try {
    if (auto input = base::Input::open("-")) app::collect({.home = home, .agent = agent}, *input);
  } catch (const std::exception& error) {  // out of memory
    app::note_collect_problem(home, error.what());
  }
  return Exit::passed;
}

}  // namespace

Exit run_fitness_collect(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics problems;
  check_usage(arguments, problems);
  const bool sets_up = arguments.has(kInstall) || arguments.has(kUninstall);
  if (problems.failed()) return misused(sets_up, problems, terminal);
  const auto of = arguments.has(kProject) ? app::SettingsOf::project : app::SettingsOf::user;
  const std::string agent = arguments.get(kAgent).value_or("");
  if (sets_up) {
    const auto done = arguments.has(kInstall) ? app::install_hooks({.of = of, .agent = agent})
                                              : app::uninstall_hooks(of);
    return done ? show_installed(*done, arguments, terminal) : fail(done.error(), terminal);
  }
  if (isatty(STDIN_FILENO) == 1) {
    problems.add(base::Code::bad_usage, {}, "standard input is a terminal, not a hook event",
                 "`vibe fitness collect --install` makes Claude Code run this command");
    return fail(problems, terminal);
  }
  // Without a home folder there is no log to note the problem in either.
  const auto home = config::home(problems);
  return home ? collect_event(*home, agent) : Exit::passed;
}

Exit misused_fitness_collect(std::span<const std::string> words, const base::Diagnostics& problems,
                             Terminal& terminal) {
  const bool sets_up = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.starts_with(kInstall) || word.starts_with(kUninstall);
  });
  return misused(sets_up, problems, terminal);
}

}  // namespace vibe::cli
