// Phrases: splits prose into words and sentences and finds phrases in it, in English and
// Vietnamese. Pure; safe to use from any thread.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::fitness {

// The form in which phrases are compared: lower case, composed accents, ASCII quotes, dashes and
// spaces, and each run of white space as one space, or one line break if it has any.
std::string folded(std::string_view text);

// Words as people count them: runs between white space that have a letter or a digit.
std::size_t count_words(std::string_view text);

// The text with each code span (between backticks) replaced by an `x`.
std::string without_code_spans(std::string_view text);

// The sentences in order, with their end marks. A line break within a paragraph does not end one.
std::vector<std::string_view> sentences(std::string_view text);

inline constexpr std::string_view kGap = "…";  // in a phrase

// A compiled list of phrases. A phrase matches whole words. `^` at its beginning: only at the
// beginning of a line or sentence. `…` in it: any text within a line, which may begin with `_`.
class PhraseFinder {
 public:
  explicit PhraseFinder(std::span<const std::string> phrases);

  struct Found {
    std::size_t begin, end;
  };
  std::optional<Found> find(std::string_view text) const;  // the first match in the folded text

 private:
  struct Phrase {
    std::string head, tail;  // the tail after `…`
    bool at_start = false;
  };
  static std::optional<std::size_t> match(const Phrase& phrase, std::string_view text,
                                          std::size_t at);

  std::vector<Phrase> phrases_;               // sorted by their first byte
  std::array<std::uint32_t, 257> of_byte_{};  // the first phrase for each byte
  std::bitset<65536> pairs_;                  // the first two bytes of a phrase
};

// Letters, digits, and bytes of non-ASCII characters.
inline constexpr std::array<bool, 256> kWordBytes = [] {
  std::array<bool, 256> out{};
  for (std::size_t c = 0; c < out.size(); ++c)
    out[c] = c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             (c >= '0' && c <= '9') || c == '_';
  return out;
}();
inline bool is_word_byte(char c) { return kWordBytes[static_cast<unsigned char>(c)]; }

}  // namespace vibe::fitness
