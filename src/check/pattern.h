// Pattern: how the text of a pattern is read, whether RE2 accepts it, and whether it is found in a
// text. The only part that uses RE2. A RegexMemory belongs to one thread; a Regex is safe from any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <tl/expected.hpp>

#include "base/source.h"

namespace re2 {
class RE2;
}

namespace vibe::check {

// A `match` pattern that is unlikely to be a glob: it begins with `^`, ends with `$`, or contains
// `.*`, `.+`, `\d`, `\w`, `\b`, or a bracket group followed by `+` or `*`.
bool reads_as_regex(std::string_view pattern);

struct RegexProblem {
  std::string message, hint;
  base::Span span;  // the offending part of the pattern
};

// Remembers which expressions are valid, and the total work they took: a file full of expensive
// ones is refused before it takes minutes.
class RegexMemory {
 public:
  static constexpr std::size_t kMostBytes =
      32u << 10;  // per expression; RE2 prints its own warnings for much longer ones
  static constexpr std::size_t kMost = 4'000'000;  // instructions of all compiled expressions

  std::optional<RegexProblem> examine(const std::string& pattern);

 private:
  std::unordered_set<std::string> good_;
  std::size_t instructions_ = 0;
};

// A compiled expression. Cheap to copy.
class Regex {
 public:
  enum class Mode : std::uint8_t {
    as_written,  // for `regex:`
    any_case,    // for `match:`: ignores case, and a dot matches a line break
  };

  static tl::expected<Regex, RegexProblem> compile(const std::string& pattern, Mode mode);

  bool found_in(std::string_view text) const;  // text in UTF-8

 private:
  explicit Regex(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace vibe::check
