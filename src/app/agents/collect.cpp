#include "app/agents/collect.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <sys/stat.h>

#include <fmt/format.h>

#include "app/agents/agent_home.h"
#include "app/agents/hook_settings.h"
#include "base/detached.h"
#include "base/line_log.h"
#include "base/output_file.h"
#include "base/process.h"
#include "base/text.h"
#include "base/time.h"
#include "fitness/rubric.h"
#include "trace/hook/line.h"

namespace vibe::app {

namespace {

using base::Code;

constexpr std::size_t kMostEvent = std::size_t{64} << 20, kMostSettings = std::size_t{8} << 20;
constexpr base::LineLogLimits kProblems{.most_bytes = std::size_t{1} << 20, .wait = 0.2};

std::string problems_path(const std::string& home) { return home + "/collect.log"; }

// Reads everything, because the writer waits; bytes over the limit are dropped.
base::Result<std::string> read_event(base::ByteSource& source) {
  std::string out(std::size_t{64} << 10, '\0');
  std::size_t size = 0, left_out = 0;
  for (;;) {
    if (size == out.size() && out.size() < kMostEvent) out.resize(out.size() * 2);
    const bool full = size == out.size();
    char* const to = full ? out.data() : out.data() + size;
    VIBE_TRY(const auto count, source.read(to, full ? out.size() : out.size() - size));
    if (count == 0) break;
    (full ? left_out : size) += count;
  }
  if (left_out > 0)
    return base::fail(Code::too_large, {},
                      fmt::format("the event is larger than {} MiB", kMostEvent >> 20));
  out.resize(size);
  return out;
}

std::string first_bytes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return text.empty()
             ? "nothing"
             : fmt::format("`{}`",
                           base::printable(base::shorten(text.substr(0, 4 * kMost), kMost)));
}

// Another process reads the transcript and must not block: `-` would be its standard input, and a
// pipe may never have a writer. That process reports a missing file.
base::Result<void> check_transcript(const std::string& path) {
  if (path.empty())
    return base::fail(Code::bad_document, {}, "the `Stop` event has no transcript path");
  struct stat status{};
  if (path == "-" || (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)))
    return base::fail(
        Code::cannot_read, {},
        fmt::format("the transcript `{}` is not a regular file", base::printable(path)));
  return {};
}

// Fails with the reason if no line was written.
base::Result<void> keep(const CollectRequest& request, base::ByteSource& source) {
  VIBE_TRY(const auto text, read_event(source));
  const auto line = trace::hook_line(
      text, base::now_millis() * 1000,
      []() -> const trace::ErrorPatterns& { return fitness::default_rubric().words.errors(); });
  if (!line)
    return base::fail(Code::bad_document, {},
                      fmt::format("expected a hook event, got {} bytes: {}", text.size(),
                                  first_bytes(base::trim(text))));
  const std::string folder = request.home + "/executions";
  // The transcript can be scored even if the line cannot be stored.
  const auto score = [&]() -> base::Result<void> {
    if (line->event != "Stop") return {};
    VIBE_TRY(check_transcript(line->transcript));
    const std::string problems = problems_path(request.home);
    [[maybe_unused]] const auto room = base::make_room(problems, kProblems);
    return base::start_detached(scoring_words(line->transcript, request.agent), problems);
  };
  base::Diagnostics problems;
  if (auto made = base::make_private_folder(folder); !made) problems.append(made.error());
  if (!problems.failed())
    if (auto kept = base::append_line(
            fmt::format("{}/{}.jsonl", folder, trace::session_file_name(line->session)),
            line->text);
        !kept)
      problems.append(kept.error());
  if (auto scored = score(); !scored) problems.append(scored.error());
  if (problems.failed()) return tl::unexpected(std::move(problems));
  return {};
}

std::string settings_path(SettingsOf of) {
  const std::string folder =
      of == SettingsOf::project ? ".claude" : agent_home("CLAUDE_CONFIG_DIR", ".claude");
  return folder + "/settings.json";
}

// A missing file counts as empty.
base::Result<base::SourcePtr> read_settings(const std::string& path) {
  struct stat status{};
  const std::string name = with_tilde(path);
  if (::lstat(path.c_str(), &status) != 0 && errno == ENOENT) return base::make_source(name, "");
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  if (!is_there && errno == ENOENT)
    return base::fail(Code::cannot_read, {}, fmt::format("`{}` is a link to a missing file", name),
                      "create that file, or remove the link");
  if (is_there && !S_ISREG(status.st_mode))
    return base::fail(Code::cannot_read, {}, fmt::format("`{}` is not a regular file", name),
                      "settings must be a JSON file");
  VIBE_TRY(auto text, base::read_file(path, kMostSettings));
  return base::make_source(name, std::move(text));
}

base::Result<void> write_settings(const std::string& path, std::string_view text) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  VIBE_TRY(const auto file, base::OutputFile::prepare(path));
  return file.write(text);
}

// `edit` turns the current settings into new ones.
template <class Edit>
base::Result<Installed> change_settings(SettingsOf of, const Edit& edit) {
  Installed out;
  out.file = settings_path(of);
  VIBE_TRY(const auto settings, read_settings(out.file));
  VIBE_TRY(const auto edited, edit(settings));
  out.events = edited.events;
  if (out.events == 0) return out;
  VIBE_TRY(write_settings(out.file, edited.text));
  return out;
}

base::Result<std::string> hook_command(const std::string& agent) {
  const std::string program = base::own_program();
  if (program.empty() || base::first_invalid(program))
    return base::fail(Code::missing_program, {},
                      "cannot find the path of this program, which the hooks need");
  std::string out = fmt::format("{} fitness collect", base::quote_word(program));
  if (!agent.empty()) out += fmt::format(" --agent {}", base::quote_word(agent));
  return out;
}

}  // namespace

void collect(const CollectRequest& request, base::ByteSource& event) {
  const auto kept = keep(request, event);
  if (kept) return;
  for (const auto& problem : kept.error().all())
    note_collect_problem(request.home, problem.message);
}

void note_collect_problem(const std::string& home, std::string_view problem) {
  // If even this fails, there is no other place to report to.
  if (!base::make_private_folder(home)) return;
  [[maybe_unused]] const auto written = base::append_line(
      problems_path(home),
      fmt::format("{} {}", base::iso_time(base::now_millis()), base::printable(problem)),
      kProblems);
}

std::vector<std::string> scoring_words(const std::string& transcript, const std::string& agent) {
  std::vector<std::string> out{"fitness", "score"};
  if (!agent.empty()) out.insert(out.end(), {"--agent", agent});
  out.insert(out.end(), {"--", transcript});
  return out;
}

base::Result<Installed> install_hooks(const InstallRequest& request) {
  VIBE_TRY(auto command, hook_command(request.agent));
  auto out = change_settings(
      request.of, [&](const base::SourcePtr& settings) { return add_hooks(settings, command); });
  if (out) out->command = std::move(command);
  return out;
}

base::Result<Installed> uninstall_hooks(SettingsOf of) {
  return change_settings(of, [](const base::SourcePtr& settings) {
    return remove_hooks(settings, base::own_program());
  });
}

}  // namespace vibe::app
