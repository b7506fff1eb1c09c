// NameMaker: names of evals for what another tool calls by any text. The same texts in the same
// order always give the same names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace vibe::formula {

class NameMaker {
 public:
  // A name that none before had: letters and digits of the text, everything between them one `-`,
  // cut off after 64 characters. Where that is empty, a number or a word of formulas, the prefix
  // stands before it; where it is taken, `-2`, `-3`, … behind it.
  std::string make(std::string_view text, std::string_view prefix);

 private:
  bool is_free(const std::string& name) const;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> next_;  // the number to try, by name without one
};

}  // namespace vibe::formula
