// Phrases: the words and sentences of prose, and phrases found in it, in English and Vietnamese.
// Pure, safe from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::fitness {

// As phrases are compared: in lower case, accents composed, quotes, dashes and spaces as ASCII has
// them, each run of white space one space.
std::string folded(std::string_view text);

// What people count: runs between white space that have a letter or a digit.
std::size_t count_words(std::string_view text);

// The text without what stands between backticks, each of which becomes an `x`.
std::string without_code_spans(std::string_view text);

// Sentences in their order, with what ends them. A break within a paragraph ends none.
std::vector<std::string_view> sentences(std::string_view text);

// A list of phrases, made ready. A phrase is found as whole words; `^` at its beginning: only at
// the beginning of the text; `…` in it: any text.
class PhraseFinder {
 public:
  explicit PhraseFinder(std::span<const std::string> phrases);

  struct Found {
    std::size_t begin, end;
  };
  std::optional<Found> find(std::string_view folded) const;  // the first in the text

 private:
  struct Phrase {
    std::string head, tail;  // the tail behind `…`
    bool at_start;
  };
  std::optional<std::size_t> match(const Phrase& phrase, std::string_view text,
                                   std::size_t at) const;

  std::vector<Phrase> phrases_;               // by their first byte
  std::array<std::uint32_t, 257> of_byte_{};  // where those of a byte begin
};

bool is_word_byte(char c);  // of folded text: a letter, a digit, a byte of another letter

}  // namespace vibe::fitness
