// YAML syntax: explains a libyaml error to a person: in other words, at the position that helps,
// with the corrected line. Knows the text and the error, not nodes. Pure, safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/source.h"

namespace vibe::base {

struct YamlComplaint {
  std::string_view problem, context;  // in libyaml's words; the context may be empty
  std::uint32_t problem_at = 0, context_at = 0;
  std::optional<Span> last_quoted;  // the value just before, if it is quoted
};

struct YamlAdvice {
  std::string message, hint;
  Span span;
};

YamlAdvice advise(const Source& source, const YamlComplaint& complaint);

// "quote the value: `key: "…"`" for the line at the offset; empty if that does not fit the line.
std::string quote_hint(const Source& source, std::uint32_t offset);

}  // namespace vibe::base
