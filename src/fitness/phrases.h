// Phrases: the words and sentences of prose, and phrases found in it, in English and Vietnamese.
// Pure, safe from any thread.
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

// As phrases are compared: in lower case, accents composed, quotes, dashes and spaces as ASCII has
// them, each run of white space one space, or one line break where it has one.
std::string folded(std::string_view text);

// What people count: runs between white space that have a letter or a digit.
std::size_t count_words(std::string_view text);

// The text without what stands between backticks, each of which becomes an `x`.
std::string without_code_spans(std::string_view text);

// Sentences in their order, with what ends them. A break within a paragraph ends none.
std::vector<std::string_view> sentences(std::string_view text);

inline constexpr std::string_view kGap = "…";  // in a phrase

// A list of phrases, made ready. A phrase is found as whole words; `^` at its beginning: only at
// the beginning of a line or a sentence; `…` in it: some text of a line, which `_` may begin.
class PhraseFinder {
 public:
  explicit PhraseFinder(std::span<const std::string> phrases);

  struct Found {
    std::size_t begin, end;
  };
  std::optional<Found> find(std::string_view text) const;  // the first in the folded text

 private:
  struct Phrase {
    std::string head, tail;  // the tail behind `…`
    bool at_start = false;
  };
  static std::optional<std::size_t> match(const Phrase& phrase, std::string_view text,
                                          std::size_t at);

  std::vector<Phrase> phrases_;               // by their first byte
  std::array<std::uint32_t, 257> of_byte_{};  // where those of a byte begin
  std::bitset<65536> pairs_;                  // of bytes that a phrase begins with
};

// A letter, a digit, a byte of another letter.
inline constexpr std::array<bool, 256> kWordBytes = [] {
  std::array<bool, 256> out{};
  for (std::size_t c = 0; c < out.size(); ++c)
    out[c] = c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             (c >= '0' && c <= '9') || c == '_';
  return out;
}();
inline bool is_word_byte(char c) { return kWordBytes[static_cast<unsigned char>(c)]; }

}  // namespace vibe::fitness
