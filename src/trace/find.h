// Find: turns the path arguments of a command into a list of log files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace vibe::trace {

struct LogFile {
  std::string path;
  bool named = false;                   // by the user; else it was found in a folder
  std::vector<std::string> sub_agents;  // logs of the same session, read with it
};

// The named files, and the files under the named folders, sorted by name, without hidden ones. Each
// file and folder is visited once, so circular links end.
std::vector<LogFile> find_logs(const std::vector<std::string>& paths, base::Diagnostics& out);

// The folders in which agents keep their logs, for finding the newest session.
struct AgentHomes {
  std::string claude;  // `~/.claude`
  std::string codex;   // `~/.codex`
};
std::optional<std::string> newest_session(const AgentHomes& homes);

}  // namespace vibe::trace
