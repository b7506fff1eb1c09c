// ErrorPatterns: text that marks a tool's output as a failure, for logs that have neither an exit
// code nor an error flag. The patterns come from the rubric; the caller passes them in. Case of
// ASCII letters is ignored. Safe to use from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::trace {

struct ErrorPattern {
  std::string text;
  bool at_line_start = true;  // else anywhere in a line
};

class ErrorPatterns {
 public:
  explicit ErrorPatterns(std::vector<ErrorPattern> patterns);

  // The first pattern, in their order, that the text contains; null: none.
  const ErrorPattern* find(std::string_view text) const;

  // For a raw JSON string, as in the file, between its quotes: false if the decoded text certainly
  // contains no pattern. Much faster than decoding it.
  bool may_hold(std::string_view escaped) const;

  const std::vector<ErrorPattern>& patterns() const { return patterns_; }

 private:
  std::vector<ErrorPattern> patterns_;  // in lower case
  bool only_decoded_ = false;  // some pattern cannot be found in raw JSON: `"`, a single letter

  // Two bytes of a pattern that are rare in other text. The search looks for them.
  struct Anchor {
    std::uint16_t bytes;
    std::size_t pattern, offset;  // the position in the pattern
  };
  std::vector<Anchor> anchors_;

  // For each half (nibble) of an anchor's two bytes: one bit per group of anchors with that half.
  // If all four agree on a group, an anchor may be there. The first group is for `\u`.
  struct Halves {
    std::array<std::uint8_t, 16> lower{}, upper{};
    void add(char c, std::uint8_t groups);
    std::uint8_t groups(char c) const {
      const auto byte = static_cast<unsigned char>(c);
      return lower[byte & 15] & upper[byte >> 4];
    }
  };
  Halves first_, second_;
  void make_groups();

  // Calls `use(place)` for each place where an anchor or `\u` may be, until it returns true.
  template <class Use>
  bool any_place(std::string_view text, Use use) const;
  template <class Use>  // for a text of kLeastAvx2 bytes or more
  bool any_place_avx2(std::string_view text, Use use) const;
  static constexpr std::size_t kLeastAvx2 = 33;
  template <class Use>
  bool any_pattern_at(std::string_view text, std::size_t place, Use use) const;
  const ErrorPattern* find_slowly(std::string_view text) const;
};

}  // namespace vibe::trace
