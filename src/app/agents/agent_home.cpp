#include "app/agents/agent_home.h"

#include <cstdlib>

#include <fmt/format.h>

namespace vibe::app {

std::string agent_home(const char* variable, std::string_view folder) {
  if (const char* named = std::getenv(variable); named && *named) return named;
  const char* home = std::getenv("HOME");
  return fmt::format("{}/{}", home ? home : "", folder);
}

std::string with_tilde(const std::string& path) {
  const char* home = std::getenv("HOME");
  const std::string folder = fmt::format("{}/", home ? home : "");
  return folder.size() > 1 && path.starts_with(folder) ? "~/" + path.substr(folder.size()) : path;
}

}  // namespace vibe::app
