// Collect: what an agent's hooks tell, kept as it happens: an event is a line of the session's file
// under `HOME/executions`; when the agent stops, its transcript is scored by another process. And
// the hooks themselves: put into the settings of Claude Code, and taken out again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/file.h"

namespace vibe::app {

struct CollectRequest {
  std::string home;   // where settings and runs are kept
  std::string agent;  // `NAME@VERSION`, which the scored executions are kept under; empty: not said
};

// One event. Never fails, and opens no store: an agent waits for it. Problems go to
// `HOME/collect.log`.
void collect(const CollectRequest& request, base::ByteSource& event);

// For a problem that had no other way out.
void note_collect_problem(const std::string& home, std::string_view problem);

// What scores a transcript and keeps the result: the words after `vibe`.
std::vector<std::string> scoring_words(const std::string& transcript, const std::string& agent);

// Which settings of Claude Code are meant.
enum class SettingsOf { user, project };

struct InstallRequest {
  SettingsOf of = SettingsOf::user;
  std::string agent;
};

struct Installed {
  std::string file;        // of the settings
  std::string command;     // that the hooks run; of an uninstallation empty
  std::size_t events = 0;  // whose hooks were changed; 0: the file was left alone
};

// The file is replaced as a whole, or not at all; settings that are not as they have to be are
// left alone, Code::bad_document.
base::Result<Installed> install_hooks(const InstallRequest& request);
base::Result<Installed> uninstall_hooks(SettingsOf of);

}  // namespace vibe::app
