// Collect: stores the events of an agent's hooks as they happen. Each event is a line in the
// session's file under `HOME/executions`; when the agent stops, another process scores its
// transcript. Also adds the hooks to the settings of Claude Code and removes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/file.h"

namespace vibe::app {

struct CollectRequest {
  std::string home;   // the folder of settings and runs
  std::string agent;  // `NAME@VERSION` of the scored executions; empty: not given
};

// Handles one event. Never fails and does not open a store, because an agent waits for it. Problems
// go to `HOME/collect.log`.
void collect(const CollectRequest& request, base::ByteSource& event);

// Logs a problem that cannot be reported otherwise.
void note_collect_problem(const std::string& home, std::string_view problem);

// The arguments after `vibe` that score a transcript and store the result.
std::vector<std::string> scoring_words(const std::string& transcript, const std::string& agent);

// Which settings of Claude Code to change.
enum class SettingsOf { user, project };

struct InstallRequest {
  SettingsOf of = SettingsOf::user;
  std::string agent;
};

struct Installed {
  std::string file;        // of the settings
  std::string command;     // run by the hooks; empty after uninstalling
  std::size_t events = 0;  // whose hooks were changed; 0: the file is unchanged
};

// Replaces the file atomically. Malformed settings are left unchanged, with Code::bad_document.
base::Result<Installed> install_hooks(const InstallRequest& request);
base::Result<Installed> uninstall_hooks(SettingsOf of);

}  // namespace vibe::app
