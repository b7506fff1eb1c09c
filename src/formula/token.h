// Tokens of the formula language, and the rule for hyphens: `-` is both a letter in names and an
// operator, so the meaning of a run of letters depends on the known names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formula/names.h"

namespace vibe::formula {

enum class TokenKind : std::uint8_t {
  number,
  word,
  unknown_word,
  function,
  string,
  plus,
  minus,
  star,
  slash,
  caret,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  open,
  close,
  comma,
  invalid,  // already reported
  end,
};

struct Token {
  TokenKind kind;
  base::Span span;
  double number = 0;
  Names::Reference reference{};  // for a word; for an unknown one only the meaning it would have
  base::Span name{};             // for an unknown word: without braces and `_latency`, `_cost`
  base::Span run{};              // for an unknown word: the run that it was split from
};

inline bool is(const Token& token, Keyword keyword) {
  return token.kind == TokenKind::word && token.reference.meaning == Names::Meaning::keyword &&
         token.reference.index == static_cast<std::uint32_t>(keyword);
}

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_word_character(char c) { return is_letter(c) || is_digit(c); }

// Length of the numeric literal at the start; 0 if there is none, or if a letter follows it.
std::size_t number_length(std::string_view text);

// All tokens; the last one has the kind `end`. Reports text that is not a token, and names that are
// ambiguous.
std::vector<Token> tokenize(const base::Passage& formula, const Names& names,
                            base::Diagnostics& out);

// The second reading of a run, other than with the longest names, written with spaces; empty if
// there is none.
std::string other_reading(std::string_view run, const Names& names);

}  // namespace vibe::formula
