// Syntax: whether code parses, by its language's grammar (tree-sitter). Grammars are lenient: code
// that parses may still be invalid. Safe to use from any thread.
//
// Answers show parts of programs, so code that does not parse is tried again before it counts as
// wrong: with elisions (`...`) blanked, without diff marks, prompts and placeholders, and inside a
// typical context (a function, a class, an object).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

struct TSLanguage;  // from tree-sitter

namespace vibe::fitness {

struct SyntaxError {
  std::uint32_t line = 1, column = 1;  // within the code, 1-based; columns count code points
  std::string message;                 // `unexpected `)``, `missing `}``
};

// A typical context for a part of a program.
struct Surroundings {
  std::string_view before, after;
};

// A language, with its labels on code fences.
struct Language {
  std::string_view name;                              // `Python`
  std::span<const std::string_view> labels;           // `python`, `py`, `python3`
  bool programming = true;                            // else data: JSON, YAML, HTML, CSS
  std::string_view dialect_of = {};                   // TSX is also TypeScript
  const TSLanguage* (*grammar)() = nullptr;           // null: it cannot be parsed
  const TSLanguage* (*other)() = nullptr;             // an alternative
  bool lines_matter = false;                          // an error can be at the end of a line
  std::string (*repair)(std::string_view) = nullptr;  // fixes notation that only people understand
  std::span<const Surroundings> surroundings = {};
};
std::span<const Language> languages();
const Language* find_language(std::string_view label);  // null: unknown label

// The parser's verdict. Not judged: there is no grammar, the code has more than kMostCodeBytes, or
// parsing takes far more steps than usual for its length.
struct SyntaxCheck {
  enum class Verdict : std::uint8_t { parses, wrong, not_judged };
  Verdict verdict = Verdict::not_judged;
  SyntaxError error = {};  // the first one, if it is wrong
};
inline constexpr std::size_t kMostCodeBytes = std::size_t{64} << 10;
SyntaxCheck check_syntax(const Language& language, std::string_view code);

}  // namespace vibe::fitness
