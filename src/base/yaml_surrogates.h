// SurrogatePairs: characters beyond U+FFFF in JSON notation, `\ud83c\udf89`. libyaml refuses such
// an escape. So it gets a text of the same length with private-use characters instead, and its
// decoded text is corrected afterwards. libyaml also gets, and refuses, half a pair. Linear in the
// text's length. Immutable: may be read from any thread, as long as the text lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "base/yaml.h"

namespace vibe::base {

inline constexpr std::size_t kSurrogatePair = 12;  // bytes of `\ud83c\udf89`

// The character whose two escapes begin the text; none: it begins with something else.
std::optional<char32_t> read_surrogate_pair(std::string_view text);

class SurrogatePairs {
 public:
  explicit SurrogatePairs(std::string_view text);

  // The text for libyaml: the same length, with every character at its offset.
  std::string_view readable() const { return places_.empty() ? text_ : readable_; }

  bool any_in(Span span) const;

  // The intended text of a scalar that libyaml decoded; none if the two do not match.
  std::optional<std::string> restore(std::string_view decoded, YamlNode::Style style,
                                     Span span) const;

 private:
  std::vector<std::uint32_t>::const_iterator first_from(std::uint32_t place) const;

  std::string_view text_;
  std::string readable_;
  std::vector<std::uint32_t> places_;  // offsets of the pairs, ascending; some are not in quotes
};

}  // namespace vibe::base
