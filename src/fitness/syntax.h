// Syntax: whether code parses, by the grammar of its language (tree-sitter). Grammars are lenient:
// what parses need not be valid. Safe from any thread.
//
// Answers show parts of programs, so code that does not parse is tried again before it is called
// wrong: with what stands for left-out code (`...`) blanked, without the marks of a diff, a prompt
// or a placeholder, and within what such a part usually stands in (a function, a class, an object).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

struct TSLanguage;  // of tree-sitter

namespace vibe::fitness {

struct SyntaxError {
  std::uint32_t line = 1, column = 1;  // within the code, 1-based; columns count code points
  std::string message;                 // `unexpected `)``, `missing `}``
};

// What such parts of a program usually stand in.
struct Surroundings {
  std::string_view before, after;
};

// A language, with the words by which fences name it.
struct Language {
  std::string_view name;                              // `Python`
  std::span<const std::string_view> labels;           // `python`, `py`, `python3`
  bool programming = true;                            // else data: JSON, YAML, HTML, CSS
  std::string_view dialect_of = {};                   // TSX is TypeScript too
  const TSLanguage* (*grammar)() = nullptr;           // null: it cannot be parsed
  const TSLanguage* (*other)() = nullptr;             // another that will do
  bool lines_matter = false;                          // the end of a line may be wrong by itself
  std::string (*repair)(std::string_view) = nullptr;  // of what people know how to read
  std::span<const Surroundings> surroundings = {};
};
std::span<const Language> languages();
const Language* find_language(std::string_view label);  // null: none is known by it

// What the parser says of code. Not judged: there is no grammar, it has more than kMostCodeBytes,
// or takes far more steps than code of its length does.
struct SyntaxCheck {
  enum class Verdict : std::uint8_t { parses, wrong, not_judged };
  Verdict verdict = Verdict::not_judged;
  SyntaxError error = {};  // the first, where it is wrong
};
inline constexpr std::size_t kMostCodeBytes = std::size_t{64} << 10;
SyntaxCheck check_syntax(const Language& language, std::string_view code);

}  // namespace vibe::fitness
