// Glob: whether a whole text matches a pattern with `*` (any run of characters, including line
// breaks) and `?` (one character), ignoring case. Immutable; safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::check {

// A text that is prepared for comparison without case. A byte that is not UTF-8 is one character.
class FoldedText {
 public:
  explicit FoldedText(std::string_view text);

  bool is_ascii() const { return ascii_; }
  std::string_view bytes() const { return bytes_; }       // of an ASCII text
  std::u32string_view points() const { return points_; }  // of any other text

 private:
  bool ascii_;
  std::string bytes_;
  std::u32string points_;
};

class Glob {
 public:
  explicit Glob(std::string_view pattern);

  // Time is linear in the lengths of text and pattern; a run with a `?` and K characters between
  // two `*` takes K / 64 times as long. Adds the work done to `steps`.
  bool matches(const FoldedText& text, std::size_t* steps = nullptr) const;

 private:
  std::vector<std::u32string> runs_;  // between the stars, at least one; case-folded
  std::size_t length_ = 0;            // of all runs
};

}  // namespace vibe::check
