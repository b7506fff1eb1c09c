// Format: the values of JSON Schema's `format` that are checked, one row each. A format applies to
// strings; any other value fits. Pure; safe from any thread.
#pragma once

#include <span>
#include <string_view>

namespace vibe::check {

struct Format {
  std::string_view name;
  std::string_view what;  // a noun for messages: `a date (2026-01-31)`
  bool (*holds)(std::string_view text);
};

std::span<const Format> formats();  // sorted by name
const Format* find_format(std::string_view name);

}  // namespace vibe::check
