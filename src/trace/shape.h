// Shape: what the beginning of a log looks like, for detecting its format: the members of its first
// objects, down to the third level, and their short texts. Works on text that is cut off anywhere.
// Pure.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::trace {

// One object. `spans.attributes` is a member of the first element of the array `spans`, or of the
// object `spans`.
class Shape {
 public:
  bool has(std::string_view path, char begins = 0) const;  // with any value, or `{`, `[`, `"`, …
  std::string_view text(std::string_view path) const;      // of at most 64 bytes; else empty
  bool is_one_of(std::string_view path, std::initializer_list<std::string_view> texts) const;

  struct Member {
    std::string path;
    char begins = 0;
    std::string text;
  };
  std::vector<Member> members;
};

// The first objects of a log, in order, found on demand.
class Shapes {
 public:
  explicit Shapes(std::string_view head);
  std::optional<Shape> next();  // none: no more

 private:
  static constexpr std::size_t kMost = 200;
  std::string_view rest_;
  std::size_t count_ = 0;
};

}  // namespace vibe::trace
