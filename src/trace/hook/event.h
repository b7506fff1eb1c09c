// HookEvent: one line of a hook log, in any of the common shapes: one line per call (`{ts, tool,
// exit}`), unchanged payloads of Claude Code's hooks, or events with a phase. Texts are views into
// the line or into the parser's memory. One parser per thread.
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
    call,    // both begin and end
    begin,   // PreToolUse
    end,     // PostToolUse, PostToolUseFailure
    prompt,  // a prompt by a person
    other,
  };
  // Rarely present or rarely needed.
  struct More {
    std::optional<double> duration;  // seconds
    std::string_view id;
    bool id_is_of_event = false;  // the id names the begin event of the call
    std::string_view error, answer, prompt, task_type, complexity;
  };

  Kind kind = Kind::other;
  bool only_successes = false;  // the log has this event only for successful calls
  bool not_utf8 = false;        // invalid bytes of the line were replaced
  bool bad_time = false;        // the time stamp cannot be read
  Outcome outcome = Outcome::unknown;
  bool refused = false;
  std::optional<Time> time;
  std::optional<std::int64_t> exit_code;
  std::uint64_t session_hash = 0;
  std::string_view session, tool;
  std::string_view input;      // raw JSON
  const More* more = nullptr;  // null: nothing
};

class HookParser {
 public:
  // `keep_texts`: decode error texts, for display.
  HookParser(const ErrorPatterns& errors, bool keep_texts);
  HookParser(HookParser&&) noexcept;
  HookParser& operator=(HookParser&&) noexcept;
  ~HookParser();

  // False if the text is not one JSON object. kPadding bytes after it must be readable. `marks`:
  // the marks of UTF-8 lines that include this one.
  static constexpr std::size_t kPadding = 64;
  bool parse(std::string_view text, HookEvent& event, TextMarks* marks = nullptr);
  bool parse_copy(std::string_view text, HookEvent& event);  // for a text without that padding
  // The length of the first line, without its line break; 0 if it needs parse().
  std::size_t parse_call_line(std::string_view text, HookEvent& event, TextMarks& marks);
  void forget();  // frees the texts of the events so far

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

bool is_utf8(std::string_view bytes);  // faster than base::first_invalid()

}  // namespace vibe::trace
