#include "trace/find.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <sys/stat.h>

#include <fmt/format.h>

#include "base/file.h"

namespace vibe::trace {

namespace fs = std::filesystem;

namespace {

using Identity = std::pair<dev_t, ino_t>;

// The path without the extension of a compressed file.
fs::path unpacked(fs::path path) {
  if (path.extension() == ".gz" || path.extension() == ".zst") path.replace_extension();
  return path;
}

bool is_sub_agent_log(const fs::path& path) {
  return path.filename().string().starts_with("agent-") && unpacked(path).extension() == ".jsonl";
}

// Claude Code keeps the logs of the sub-agents of `DIR/ID.jsonl` in `DIR/ID/subagents/`.
std::vector<std::string> sub_agents_of(const fs::path& path) {
  std::vector<std::string> out;
  std::error_code error;
  fs::path session = unpacked(path);
  if (session.extension() != ".jsonl") return out;
  for (const auto& entry : fs::directory_iterator(session.replace_extension() / "subagents", error))
    if (is_sub_agent_log(entry.path()) && entry.is_regular_file(error))
      out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

Identity identity_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

class Walk {
 public:
  explicit Walk(base::Diagnostics& out) : diagnostics_(out) {}

  void start(const std::string& path) {
    struct stat status{};
    if (path == "-") return logs_.push_back({.path = path, .named = true, .sub_agents = {}});
    if (stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))  // opening it says why
      return add(path, status, true);
    enter(path, status);
  }

  std::vector<LogFile> finish() {
    // Sub-agent logs of a session are not separate logs.
    std::set<Identity> taken;
    for (const auto& log : logs_)
      for (const auto& path : log.sub_agents) taken.insert(identity_of(path));
    std::erase_if(logs_, [&](const LogFile& log) {
      return !log.named && taken.contains(identity_of(log.path));
    });
    return std::move(logs_);
  }

 private:
  void add(const std::string& path, const struct stat& status, bool named) {
    if (status.st_ino != 0 && !seen_.insert({status.st_dev, status.st_ino}).second) return;
    logs_.push_back({.path = path, .named = named, .sub_agents = sub_agents_of(path)});
  }

  void enter(const std::string& folder, const struct stat& status) {
    if (!seen_.insert({status.st_dev, status.st_ino}).second) return;
    std::error_code error;
    std::vector<std::string> names;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      if (!at->path().filename().string().starts_with('.')) names.push_back(at->path().string());
    if (error)
      diagnostics_.add(
          base::Code::cannot_read, {},
          fmt::format("cannot read the folder `{}`: {}", folder, base::reason(error.value())),
          base::hint_for(error.value()));
    std::sort(names.begin(), names.end());
    for (const auto& name : names) {
      struct stat inner{};
      if (stat(name.c_str(), &inner) != 0) continue;  // a dangling link
      if (S_ISDIR(inner.st_mode)) enter(name, inner);
      if (S_ISREG(inner.st_mode)) add(name, inner, false);
    }
  }

  base::Diagnostics& diagnostics_;
  std::vector<LogFile> logs_;
  std::set<Identity> seen_;
};

}  // namespace

std::vector<LogFile> find_logs(const std::vector<std::string>& paths, base::Diagnostics& out) {
  Walk walk(out);
  for (const auto& path : paths) walk.start(path);
  return walk.finish();
}

std::optional<std::string> newest_session(const AgentHomes& homes) {
  std::optional<std::string> newest;
  fs::file_time_type newest_time{};
  for (const fs::path& root :
       {fs::path(homes.claude) / "projects", fs::path(homes.codex) / "sessions"}) {
    std::error_code error;
    for (fs::recursive_directory_iterator
             at(root, fs::directory_options::skip_permission_denied, error),
         end;
         !error && at != end; at.increment(error)) {
      const fs::path& path = at->path();
      if (path.extension() != ".jsonl" || is_sub_agent_log(path)) continue;
      std::error_code unreadable;
      if (!at->is_regular_file(unreadable) || at->file_size(unreadable) == 0) continue;
      const auto time = at->last_write_time(unreadable);
      if (unreadable || (newest && time <= newest_time)) continue;
      newest = path.string();
      newest_time = time;
    }
  }
  return newest;
}

}  // namespace vibe::trace
