// NameMaker: makes eval names from the texts that another tool uses as names. The same texts in the
// same order always give the same names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace vibe::formula {

class NameMaker {
 public:
  // A unique name: the letters and digits of the text, with one `-` for everything between them,
  // cut off after 64 characters. If that is empty, a number or a word of the formula language, the
  // prefix is put before it; if it is taken, `-2`, `-3`, … is appended.
  std::string make(std::string_view text, std::string_view prefix);

 private:
  bool is_free(const std::string& name) const;
  std::unordered_set<std::string> taken_;
  // By base name: the next suffix to try.
  std::unordered_map<std::string, std::size_t> next_;
};

}  // namespace vibe::formula
