// AgentHome: where agents keep what is theirs, and how such paths are shown.
#pragma once

#include <string>
#include <string_view>

namespace vibe::app {

// The folder that the variable names, or where the agent keeps its own by default, under `~`.
std::string agent_home(const char* variable, std::string_view folder);

std::string with_tilde(const std::string& path);  // `~/…` for what lies in the user's folder

}  // namespace vibe::app
