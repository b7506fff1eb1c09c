// Tokens of the formula language, and the rule for hyphens: `-` is a letter of names
// and an operator, so what a run of letters means depends on the names there are.
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
  invalid,  // reported already
  end,
};

struct Token {
  TokenKind kind;
  base::Span span;
  double number = 0;
  Names::Reference reference{};  // of a word; of an unknown one only the meaning it would have
  base::Span name{};             // of an unknown word: without braces and `_latency`, `_cost`
  base::Span run{};              // of an unknown word: all that it was split from
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

// Length of the numeric literal at the start, 0 if there is none or a letter follows it.
std::size_t number_length(std::string_view text);

// All tokens, the last one of kind `end`. Reports what cannot be a token, and names that
// could be read in two ways.
std::vector<Token> tokenize(const base::Passage& formula, const Names& names,
                            base::Diagnostics& out);

// The reading of a run other than the one that the longest names give, as one would write
// it with spaces; empty if there is none.
std::string other_reading(std::string_view run, const Names& names);

}  // namespace vibe::formula
