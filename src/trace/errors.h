// ErrorPatterns: text by which the output of a tool is told to be that of a failure, where the log
// has neither an exit code nor a flag. Upper and lower case of ASCII letters are the same. Safe to
// use from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::trace {

struct ErrorPattern {
  std::string text;
  bool at_line_start = true;  // else anywhere in a line
};

class ErrorPatterns {
 public:
  ErrorPatterns();  // those built in
  explicit ErrorPatterns(std::vector<ErrorPattern> patterns);

  // The pattern that the text holds first in their order; null: none.
  const ErrorPattern* find(std::string_view text) const;

  // Of a JSON string as it stands in the file, between its quotes: false where the text that it
  // means certainly holds no pattern. Much faster than decoding it.
  bool may_hold(std::string_view escaped) const;

  const std::vector<ErrorPattern>& patterns() const { return patterns_; }

 private:
  std::vector<ErrorPattern> patterns_;  // in lower case
  bool has_escapable_ = false;          // one has a character that JSON may write as an escape
  std::vector<std::uint64_t> pairs_;    // a bit for each two bytes that a pattern begins with

  // Two bytes of a pattern that are rare in other text, by which it is looked for.
  struct Anchor {
    char first, second;
    std::size_t pattern, offset;  // where they stand in it
  };
  bool holds_at(std::string_view text, std::size_t at) const;
  std::vector<Anchor> anchors_;
};

}  // namespace vibe::trace
