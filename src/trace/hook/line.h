// HookLine: the payload that an agent passes to a hook → a line of an execution log that the hook
// log reader understands. Pure.
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
  std::string transcript;  // the agent's own log; empty: not known
  std::string text;        // the line, without its line break
};

// Longer texts lose their middle, except the prompt and the final answer.
inline constexpr std::size_t kMostHookText = 16u << 10;

// The payload on one line with its arrival time; none: it is not a hook event. `GetPatterns` is
// called only if a text is cut, because an agent waits for this.
using GetPatterns = const ErrorPatterns& (*)();
std::optional<HookLine> hook_line(std::string_view payload, Time now, GetPatterns errors);

// A file name for the session, without an extension.
std::string session_file_name(std::string_view session);

}  // namespace vibe::trace
