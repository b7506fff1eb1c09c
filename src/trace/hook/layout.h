// HookLayout: splits JSON lines that all have the same keys in the same order, with flat values, as
// programs write them. The bytes between the values are compared with the learned line; only the
// values are extracted. Several times as fast as parsing each line. A line with another layout is
// not split and has to be parsed. One layout per thread.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trace/hook/text_marks.h"

namespace vibe::trace {

class HookLayout {
 public:
  static constexpr std::size_t kMostValues = 32;

  // The values of a line, in the order of the keys; texts include their quotes. They have no
  // control characters. UTF-8 is not checked.
  using Values = std::array<std::string_view, kMostValues>;
  // The length of the first line of the text; 0 if it has another layout. The text must be part of
  // what was marked; splitting consumes its marks.
  std::size_t split(std::string_view text, TextMarks& marks, Values& values) const;

  // From a line of valid JSON; a line with lists or objects in it is not learned.
  void learn(std::string_view line);
  const std::vector<std::string>& keys() const { return keys_; }  // decoded; empty: nothing learned

 private:
  struct Lead {  // the bytes before a value
    alignas(16) std::array<char, 32> bytes{};
    std::size_t size = 0;
    std::size_t marks = 0;  // in it
  };
  static bool is_at(const char* at, const Lead& lead);

  std::vector<Lead> leads_;
  std::vector<std::string> keys_;
  std::string tail_;  // the bytes after the last value
};

}  // namespace vibe::trace
