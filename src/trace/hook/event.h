// HookEvent: one line of a hook log, in any of the shapes that people write: a line for each call
// (`{ts, tool, exit}`), the payloads of Claude Code's hooks as they are, or events with a phase.
// Texts are views into the line or into the memory of the parser. One parser per thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "trace/errors.h"
#include "trace/execution.h"
#include "trace/hook/text_marks.h"

namespace vibe::trace {

struct HookEvent {
  enum class Kind : std::uint8_t {
    call,    // begun and ended
    begin,   // PreToolUse
    end,     // PostToolUse, PostToolUseFailure
    prompt,  // a person asks
    other,
  };
  // What few events have, or few readers want.
  struct More {
    std::optional<double> duration;  // seconds
    std::string_view id;
    bool id_is_of_event = false;  // that at which the call began
    std::string_view error, answer, prompt, task_type, complexity;
  };

  Kind kind = Kind::other;
  bool only_successes = false;  // the log would not have this event of a call that failed
  bool not_utf8 = false;        // bytes of the line were replaced
  bool bad_time = false;        // there is a time stamp, and it cannot be read
  Outcome outcome = Outcome::unknown;
  bool refused = false;
  std::optional<Time> time;
  std::optional<std::int64_t> exit_code;
  std::uint64_t session_hash = 0;
  std::string_view session, tool;
  std::string_view input;      // JSON as it stands there
  const More* more = nullptr;  // null: nothing
};

class HookParser {
 public:
  // `keep_texts`: errors are decoded, to be shown.
  HookParser(const ErrorPatterns& errors, bool keep_texts);
  HookParser(HookParser&&) noexcept;
  HookParser& operator=(HookParser&&) noexcept;
  ~HookParser();

  // False where the text is not one JSON object. kPadding bytes can be read behind it. `marks`: of
  // lines that are UTF-8, and of which the text is one.
  static constexpr std::size_t kPadding = 64;
  bool parse(std::string_view text, HookEvent& event, TextMarks* marks = nullptr);
  bool parse_copy(std::string_view text, HookEvent& event);  // of a text without that padding
  // The length of the line, without its break, that the text begins with; 0 where it needs parse().
  std::size_t parse_call_line(std::string_view text, HookEvent& event, TextMarks& marks);
  void forget();  // the texts of the events so far

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

bool is_utf8(std::string_view bytes);  // faster than base::first_invalid()

}  // namespace vibe::trace
