#include "app/agents/read_executions.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/agents/agent_home.h"
#include "base/text.h"
#include "config/config.h"
#include "fitness/rubric.h"
#include "trace/read.h"

namespace vibe::app {

namespace {

using base::Code;

// The logs to read; standard input can be read only once.
std::vector<std::string> named_logs(const std::vector<std::string>& logs, base::Diagnostics& out) {
  std::vector<std::string> paths;
  for (const auto& path : logs) {
    if (path.empty()) out.add(Code::bad_usage, {}, "a log name is empty");
    const bool again = path == "-" && std::find(paths.begin(), paths.end(), path) != paths.end();
    if (!again) paths.push_back(path);
  }
  return paths;
}

const trace::LogFormat* find_format(const std::string& name, base::Diagnostics& out) {
  const trace::LogFormat* found = trace::find_format(name);
  if (found) return found;
  std::vector<std::string_view> names;
  for (const auto& format : trace::formats()) names.push_back(format.name);
  const std::string near = base::did_you_mean(base::nearest(name, names, 1));
  out.add(Code::bad_usage, {}, fmt::format("there is no format `{}`", base::printable(name)),
          near.empty() ? fmt::format("known formats: `{}`", fmt::join(names, "`, `")) : near);
  return nullptr;
}

// A file in a folder that is not a log is not the user's mistake.
bool is_no_log(const base::Diagnostics& problems) {
  return std::all_of(problems.all().begin(), problems.all().end(), [](const auto& problem) {
    return problem.code == Code::unknown_log || problem.code == Code::empty_log;
  });
}

void report(const trace::LogFile& file, trace::ReadLog& log, base::Diagnostics& out) {
  if (log.diagnostics.empty()) return;
  if (file.named || !is_no_log(log.diagnostics)) return out.append(log.diagnostics);
  const auto& problem = log.diagnostics.all().front();
  out.add(Code::skipped_file, {problem.source, {}}, fmt::format("skipped: {}", problem.message));
}

}  // namespace

ReadExecutions read_executions(const ReadRequest& request, const trace::UseExecution& use) {
  ReadExecutions out;
  const auto config = config::load(out.diagnostics);
  const trace::LogFormat* format =
      request.format ? find_format(*request.format, out.diagnostics) : nullptr;
  std::vector<std::string> paths = named_logs(request.logs, out.diagnostics);
  if (!config || out.diagnostics.failed()) return out;
  if (paths.empty()) {
    const trace::AgentHomes homes{.claude = agent_home("CLAUDE_CONFIG_DIR", ".claude"),
                                  .codex = agent_home("CODEX_HOME", ".codex")};
    const auto newest = trace::newest_session(homes);
    if (!newest) {
      out.diagnostics.add(Code::no_log, {}, "no log given, and no agent session found",
                          fmt::format("looked in `{}/projects` and `{}/sessions`; give a log",
                                      base::printable(with_tilde(homes.claude)),
                                      base::printable(with_tilde(homes.codex))));
      return out;
    }
    paths = {*newest};
    out.newest = with_tilde(*newest);
  }
  const trace::Prices prices(config->models.prices);
  const std::size_t processors = std::max(1u, std::thread::hardware_concurrency());
  trace::Options options{
      .keep_calls = request.keep_calls,
      .threads = request.threads > 0 ? request.threads : processors,
      .errors = request.errors ? *request.errors : fitness::default_rubric().words.errors(),
      .prices = prices,
      .most_sessions = request.most_sessions,
      .is_unwanted = request.is_unwanted};
  options.may_read_files = request.may_read_files;
  options.most_unpacked = request.most_unpacked.value_or(options.most_unpacked);
  const auto files = trace::find_logs(paths, out.diagnostics);
  bool any = false;
  trace::read_logs(
      files, format, options,
      [&](trace::Execution one) {
        any = true;
        use(std::move(one));
      },
      [&](const trace::LogFile& file, trace::ReadLog& log) { report(file, log, out.diagnostics); });
  if (!any && !out.diagnostics.failed())
    out.diagnostics.add(Code::empty_log, {},
                        paths.size() == 1
                            ? fmt::format("there is no log in `{}`", base::printable(paths[0]))
                            : "there is no log in the given paths");
  return out;
}

}  // namespace vibe::app
