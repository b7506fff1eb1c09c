// HookEvent: one line of a hook log, in any of the shapes that people write: a line for each call
// (`{ts, tool, exit}`), the payloads of Claude Code's hooks as they are, or events with a phase.
// Texts are views into the line or into the memory of the parser. One parser per thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "trace/errors.h"
#include "trace/execution.h"

namespace vibe::trace {

struct HookEvent {
  enum class Kind : std::uint8_t {
    call,    // begun and ended
    begin,   // PreToolUse
    end,     // PostToolUse, PostToolUseFailure
    prompt,  // a person asks
    other,
  };
  Kind kind = Kind::other;
  bool only_successes = false;  // the log would not have this event of a call that failed
  bool id_of_event = false;     // `id` is that of the event at which the call began
  bool not_utf8 = false;        // bytes of the line were replaced
  bool bad_time = false;        // there is a time stamp, and it cannot be read
  Outcome outcome = Outcome::unknown;
  bool refused = false;
  std::optional<Time> time;
  std::optional<std::int64_t> exit_code;
  std::optional<double> duration;  // seconds
  std::string_view session, tool, id;
  std::string_view input;  // JSON as it stands there
  std::string_view error, answer, task_type, complexity;
};

class HookParser {
 public:
  explicit HookParser(const ErrorPatterns& errors);
  HookParser(HookParser&&) noexcept;
  HookParser& operator=(HookParser&&) noexcept;
  ~HookParser();

  // False where the text is not one JSON object. kPadding bytes can be read behind it.
  static constexpr std::size_t kPadding = 64;
  bool parse(std::string_view text, HookEvent& event);
  void forget();  // the texts of the events so far

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace vibe::trace
