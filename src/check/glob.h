// Glob: whether the whole of a text matches a pattern of `*` (any run of characters, line breaks
// too) and `?` (one character), whatever the case. Immutable; safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::check {

// A text ready for comparison whatever its case. A byte that is not UTF-8 is one character.
class FoldedText {
 public:
  explicit FoldedText(std::string_view text);

  bool is_ascii() const { return ascii_; }
  std::string_view bytes() const { return bytes_; }       // of an ASCII text
  std::u32string_view points() const { return points_; }  // of any other

 private:
  bool ascii_;
  std::string bytes_;
  std::u32string points_;
};

class Glob {
 public:
  explicit Glob(std::string_view pattern);

  // Time is linear in the lengths of text and pattern; a run of the pattern that has a `?` in
  // it, no `*`, and K characters, takes K / 64 times as long. `steps` is raised by what was done.
  bool matches(const FoldedText& text, std::size_t* steps = nullptr) const;

 private:
  std::vector<std::u32string> runs_;  // between the stars, at least one; case folded
  std::size_t length_ = 0;            // of all runs
};

}  // namespace vibe::check
