// Lines: iterates over the lines of a text. Pure.
#pragma once

#include <algorithm>
#include <string_view>

namespace vibe::base {

// Removes the first line from the text, and returns it without its line break.
inline std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

}  // namespace vibe::base
