// AgentHome: where agents keep their files, and how such paths are shown.
#pragma once

#include <string>
#include <string_view>

namespace vibe::app {

// The folder named by the environment variable, or the agent's default folder under `~`.
std::string agent_home(const char* variable, std::string_view folder);

std::string with_tilde(const std::string& path);  // `~/…` for paths in the home folder

}  // namespace vibe::app
