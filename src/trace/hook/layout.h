// HookLayout: splits lines of JSON that are all written alike, as programs write them: the same
// keys in the same order, flat values. What stands between the values is compared with the line
// that was learned; only the values are looked at. Several times as fast as parsing each line anew.
// A line that is written otherwise is not split, and has to be parsed. One layout per thread.
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

  // The values of a line, with the quotes of texts, in the order of the keys. They hold no control
  // characters. Whether the bytes are UTF-8 is not looked at.
  using Values = std::array<std::string_view, kMostValues>;
  // How long the line is that the text begins with; 0 where it is written otherwise. The text is
  // part of what was marked; its marks are used up as far as it was split.
  std::size_t split(std::string_view text, TextMarks& marks, Values& values) const;

  // From a line that is sound JSON; nothing is learned of one with lists or objects in it.
  void learn(std::string_view line);
  const std::vector<std::string>& keys() const {
    return keys_;
  }  // without escapes; empty: nothing learned

 private:
  struct Lead {  // what stands before a value
    alignas(16) std::array<char, 32> bytes{};
    std::size_t size = 0;
    std::size_t marks = 0;  // in it
  };
  static bool is_at(const char* at, const Lead& lead);

  std::vector<Lead> leads_;
  std::vector<std::string> keys_;
  std::string tail_;  // what stands behind the last
};

}  // namespace vibe::trace
