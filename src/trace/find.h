// Find: which files are meant by the arguments of a command.
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

// The files named, and those under the folders named: by name, without hidden ones; what was seen
// already is not taken again, so that links in a circle end.
std::vector<LogFile> find_logs(const std::vector<std::string>& paths, base::Diagnostics& out);

// The session that was written last by an agent that keeps its logs under `home`.
struct AgentHomes {
  std::string claude;  // `~/.claude`
  std::string codex;   // `~/.codex`
};
std::optional<std::string> newest_session(const AgentHomes& homes);

}  // namespace vibe::trace
