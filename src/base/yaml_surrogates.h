// SurrogatePairs: characters beyond U+FFFF as JSON writes them, `\ud83c\udf89`. libyaml refuses
// such an escape, so it reads a text of the same length with characters for private use instead,
// and what it decoded is put right afterwards. Half a pair is left to libyaml, which refuses it.
// Linear in the text. Immutable: may be read from any thread, as long as the text lives.
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

// The character whose pair of escapes begins the text; none: it begins with something else.
std::optional<char32_t> read_surrogate_pair(std::string_view text);

class SurrogatePairs {
 public:
  explicit SurrogatePairs(std::string_view text);

  // For libyaml: as long as the text, every character of it in its place.
  std::string_view readable() const { return places_.empty() ? text_ : readable_; }

  bool any_in(Span span) const;

  // A scalar as it was meant, by what libyaml decoded; none if the two do not agree.
  std::optional<std::string> restore(std::string_view decoded, YamlNode::Style style,
                                     Span span) const;

 private:
  std::vector<std::uint32_t>::const_iterator first_from(std::uint32_t place) const;

  std::string_view text_;
  std::string readable_;
  std::vector<std::uint32_t> places_;  // of the pairs, ascending; some stand in no quotes
};

}  // namespace vibe::base
