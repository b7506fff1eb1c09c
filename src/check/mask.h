// Mask: removes secrets from a text that a message quotes: the response, a check's arguments, the
// output of a judge or a program. Messages quote only masked text. The caller provides it (run/);
// none: everything may be shown.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace vibe::check {

using Mask = std::function<void(std::string&)>;

inline std::string masked(std::string_view text, const Mask& mask) {
  std::string out(text);
  if (mask) mask(out);
  return out;
}

}  // namespace vibe::check
