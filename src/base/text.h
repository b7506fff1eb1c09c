// Text: UTF-8, display width, distances between words, numbers as people read them.
// Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::base {

struct CodePoint {
  char32_t value;      // U+FFFD where the bytes are not UTF-8
  std::size_t length;  // bytes, at least 1
  bool valid;
};

CodePoint decode(std::string_view text, std::size_t offset);      // offset < text.size()
std::optional<std::size_t> first_invalid(std::string_view text);  // offset of the first bad byte
std::size_t display_width(std::string_view text);                 // terminal columns; a tab is 1

// Terminal columns of one code point after the other: those that combine with the one before
// it take none, or change how many it takes.
class Columns {
 public:
  std::size_t next(char32_t value);

 private:
  char32_t last_ = 0;
  std::size_t last_width_ = 0;
};

// Can be shown on a terminal as it is: not a control character, nor one that reorders the text
// around it.
bool is_printable(char32_t value);
std::string printable(
    std::string_view text);  // breaks and tabs as spaces, the rest that is not as U+FFFD

void append_utf8(std::string& out, char32_t value);

// Text with U+FFFD for what is not UTF-8, as web browsers decode it: one for each beginning of a
// character that breaks off, one for each other byte.
std::string replace_invalid(std::string_view text);

// Compatibility composition (NFKC) of Unicode; U+FFFD for what is not UTF-8. O(n log n) whatever
// the text is.
std::u32string to_nfkc(std::string_view text);

// Unicode simple case folding: the same for all characters that differ by case alone.
char32_t fold_case(char32_t value);

// Optimal string alignment distance, or `limit + 1` where it is larger. O(limit × length).
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// The candidates nearest to a word, nearest first: at most `most`, none further
// than a third of its length (at least 1, at most 3).
std::vector<std::string_view> nearest(std::string_view word,
                                      std::span<const std::string_view> candidates,
                                      std::size_t most = 3);

std::string did_you_mean(
    std::span<const std::string_view> names);  // "did you mean `a` or `b`?"; empty for none

std::string shorten(std::string_view text,
                    std::size_t most);  // `most` code points and `…`, or all of it

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // of UTF-8

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
// A blank, a tab or the end of a line, as JSON and YAML have them: fewer than `trim()` takes away.
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_ascii(std::string_view text);

// Letters of ASCII in lower case, everything else as it is.
constexpr char lower_ascii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lower_ascii(std::string_view text);

std::string_view trim(std::string_view text);         // ASCII white space at both ends
std::string fold_white_space(std::string_view text);  // each run of it becomes one space
bool glob_match(
    std::string_view glob,
    std::string_view text);  // `*`, `?`; case-sensitive; O(n·m) at worst, no backtracking tree

bool is_variable_name(std::string_view text);  // of the environment: `[A-Za-z_][A-Za-z0-9_]*`
bool is_http_url(std::string_view text);  // `http://` or `https://`, then a host; no white space

std::string counted(std::size_t count, std::string_view what);  // `1 error`, `2 errors`

// With at most so many decimals, without zeros at its end, and never as `1e-07`.
std::string to_decimal(double value, int decimals);

// A whole number or decimal as YAML and people write it; nullopt if any of it is left over.
std::optional<double> parse_double(std::string_view text);
std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace vibe::base
