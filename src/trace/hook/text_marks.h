// TextMarks: where the texts in JSON lines begin and end: every quote that is not escaped, and
// every control character, such as a line break. Finding the marks of many lines at once is several
// times as fast as searching for each. One per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace vibe::trace {

class TextMarks {
 public:
  static constexpr std::size_t kPadding = 64;  // bytes after the lines that must be readable

  // The lines must stay valid as long as the marks are used; less than 4 GB.
  void find(std::string_view lines);

  // Marks are ascending offsets into the lines; after the last mark comes the size of the lines.
  using Mark = const std::uint32_t*;
  // The first mark at or after a place. Places must be asked for in ascending order.
  Mark from(const char* place) {
    while (*next_ < static_cast<std::size_t>(place - lines_.data())) ++next_;
    return next_;
  }
  void move_to(Mark mark) { next_ = mark; }  // earlier marks are no longer needed
  const char* place(Mark mark) const { return lines_.data() + *mark; }

  bool has_backslash(std::string_view part) const {  // a part of the lines; not empty
    const auto begin = static_cast<std::size_t>(part.data() - lines_.data());
    const std::size_t last = begin + part.size() - 1;
    std::uint64_t found = backslashes_[begin / 64] & ~std::uint64_t{0} << begin % 64;
    for (std::size_t block = begin / 64; block < last / 64; found = backslashes_[++block])
      if (found != 0) return true;
    return (found & ~std::uint64_t{0} >> (63 - last % 64)) != 0;
  }

 private:
  std::string_view lines_;
  std::unique_ptr<std::uint32_t[]> marks_;
  std::size_t capacity_ = 0;
  std::vector<std::uint64_t> backslashes_;  // one bit per byte
  Mark next_ = nullptr;
};

}  // namespace vibe::trace
