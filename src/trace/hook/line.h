// HookLine: the payload that an agent gives to a hook → a line of an execution log, as the reader
// of hook logs reads it. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "trace/errors.h"
#include "trace/execution.h"

namespace vibe::trace {

struct HookLine {
  std::string event;       // `PostToolUse`
  std::string session;     // empty: the payload has none
  std::string transcript;  // where the agent keeps its own log; empty: not known
  std::string text;        // the line, without its break
};

// Texts of more bytes lose their middle, but for what the user asked and the agent answered.
inline constexpr std::size_t kMostHookText = 16u << 10;

// The payload in one line with the time it came at; none: it is no event of a hook. The patterns
// are asked for where a text loses its middle, and not else: an agent waits for this.
using GetPatterns = const ErrorPatterns& (*)();
std::optional<HookLine> hook_line(std::string_view payload, Time now, GetPatterns errors);

// A file name of the session's own, without its ending.
std::string session_file_name(std::string_view session);

}  // namespace vibe::trace
