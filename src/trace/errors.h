// ErrorPatterns: text by which the output of a tool is told to be that of a failure, where the log
// has neither an exit code nor a flag. Which they are, whoever reads logs says: they are data of a
// rubric. Upper and lower case of ASCII letters are the same. Safe to use from any thread.
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

  // The pattern that the text holds first in their order; null: none.
  const ErrorPattern* find(std::string_view text) const;

  // Of a JSON string as it stands in the file, between its quotes: false where the text that it
  // means certainly holds no pattern. Much faster than decoding it.
  bool may_hold(std::string_view escaped) const;

  const std::vector<ErrorPattern>& patterns() const { return patterns_; }

 private:
  std::vector<ErrorPattern> patterns_;  // in lower case
  bool only_decoded_ = false;  // one cannot be told by the bytes of JSON: `"`, a letter alone

  // Two bytes of a pattern that are rare in other text, by which it is looked for.
  struct Anchor {
    std::uint16_t bytes;
    std::size_t pattern, offset;  // where they stand in it
  };
  std::vector<Anchor> anchors_;

  // For the two bytes of an anchor, by the lower and the upper half of each: a bit for each group
  // of anchors that have such a half. Where all four agree on a group, there may be an anchor. The
  // first group is that of `\u`.
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
  template <class Use>  // of a text of kLeastAvx2 bytes or more
  bool any_place_avx2(std::string_view text, Use use) const;
  static constexpr std::size_t kLeastAvx2 = 33;
  template <class Use>
  bool any_pattern_at(std::string_view text, std::size_t place, Use use) const;
  const ErrorPattern* find_slowly(std::string_view text) const;
};

}  // namespace vibe::trace
