// Pattern: how the text of a pattern is read, and whether RE2 accepts it. The only part
// that knows RE2. A RegexMemory belongs to one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/source.h"

namespace vibe::check {

// A `match` pattern that can hardly be meant as a glob: it begins with `^`, ends with `$`, or
// holds `.*`, `.+`, `\d`, `\w`, `\b`, or a bracket group followed by `+` or `*`.
bool reads_as_regex(std::string_view pattern);

struct RegexProblem {
  std::string message, hint;
  base::Span span;  // of the offending part, in the pattern
};

// Remembers which expressions were found good, and how much work all of them were: a file
// of ruinous ones is refused before it costs minutes.
class RegexMemory {
 public:
  static constexpr std::size_t kMostBytes =
      32u << 10;  // of one; RE2 prints warnings of its own on much longer ones
  static constexpr std::size_t kMost = 4'000'000;  // instructions of all compiled expressions

  std::optional<RegexProblem> examine(const std::string& pattern);

 private:
  std::unordered_set<std::string> good_;
  std::size_t instructions_ = 0;
};

}  // namespace vibe::check
