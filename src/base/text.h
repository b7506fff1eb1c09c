// Text: UTF-8, display width, edit distances, readable numbers. Pure functions, safe from any
// thread.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::base {

struct CodePoint {
  char32_t value;      // U+FFFD if the bytes are not UTF-8
  std::size_t length;  // bytes, at least 1
  bool valid;
};

CodePoint decode(std::string_view text, std::size_t offset);      // offset < text.size()
std::optional<std::size_t> first_invalid(std::string_view text);  // offset of the first bad byte
std::size_t display_width(std::string_view text);                 // terminal columns; a tab is 1

// Terminal columns, one code point after the other: combining ones take none, or change the width
// of the one before.
class Columns {
 public:
  std::size_t next(char32_t value);

 private:
  char32_t last_ = 0;
  std::size_t last_width_ = 0;
};

// Safe to show on a terminal: neither a control character, nor one that reorders the text around
// it.
bool is_printable(char32_t value);
// Line breaks and tabs become spaces, other characters that are not printable U+FFFD.
std::string printable(std::string_view text);

void append_utf8(std::string& out, char32_t value);

// Replaces bytes that are not UTF-8 by U+FFFD like web browsers do: one for each truncated
// character, one for each other byte.
std::string replace_invalid(std::string_view text);

// Unicode compatibility composition (NFKC); U+FFFD for bytes that are not UTF-8. O(n log n) for any
// text.
std::u32string to_nfkc(std::string_view text);

// Unicode simple case folding: the same result for all characters that differ only by case.
char32_t fold_case(char32_t value);

// Optimal string alignment distance, or `limit + 1` if it is larger. O(limit × length).
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// The candidates nearest to a word, nearest first: at most `most`, and none further away than a
// third of its length (at least 1, at most 3).
std::vector<std::string_view> nearest(std::string_view word,
                                      std::span<const std::string_view> candidates,
                                      std::size_t most = 3);

std::string did_you_mean(
    std::span<const std::string_view> names);  // "did you mean `a` or `b`?"; empty for none

std::string shorten(std::string_view text,
                    std::size_t most);  // `most` code points and `…`, or all of it

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // in UTF-8

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
// A space, tab or line break in JSON and YAML; fewer characters than `trim()` removes.
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_ascii(std::string_view text);

// ASCII letters in lower case; everything else is unchanged.
constexpr char lower_ascii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lower_ascii(std::string_view text);

std::string_view trim(std::string_view text);         // removes ASCII white space at both ends
std::string fold_white_space(std::string_view text);  // each run of white space becomes a space
// `*`, `?`; case-sensitive; O(n·m) at worst, no backtracking tree.
bool glob_match(std::string_view glob, std::string_view text);

bool is_variable_name(std::string_view text);  // for the environment: `[A-Za-z_][A-Za-z0-9_]*`
bool is_http_url(std::string_view text);  // `http://` or `https://`, then a host; no white space

// `1 reply`, `2 replies`
template <std::integral Whole>
std::string counted(Whole count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}
std::string counted(std::size_t count, std::string_view one);  // `1 error`, `2 errors`

// With at most this many decimals, without trailing zeros, and never as `1e-07`.
std::string to_decimal(double value, int decimals);

// Parses an integer or decimal as YAML and people write it; nullopt if any text is left over.
std::optional<double> parse_double(std::string_view text);
std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace vibe::base
