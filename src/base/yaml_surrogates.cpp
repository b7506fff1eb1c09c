#include "base/yaml_surrogates.h"

#include <algorithm>

#include "base/text.h"
#include "base/yaml_passage.h"

namespace vibe::base {
namespace {

constexpr std::size_t kHalf = kSurrogatePair / 2;
// The first byte in UTF-8 of U+E000 to U+E7FF, which replace the halves.
constexpr char kFirstByte = '\xEE';

// The value of `\u` and four digits at the beginning of the text; none: it begins with something
// else.
std::optional<char32_t> read_half(std::string_view text) {
  if (text.size() < kHalf || !text.starts_with("\\u")) return std::nullopt;
  char32_t value = 0;
  for (const char digit : text.substr(2, 4)) {
    const char lower = lower_ascii(digit);
    if (digit >= '0' && digit <= '9')
      value = value << 4 | static_cast<char32_t>(digit - '0');
    else if (lower >= 'a' && lower <= 'f')
      value = value << 4 | static_cast<char32_t>(lower - 'a' + 10);
    else
      return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<char32_t> read_surrogate_pair(std::string_view text) {
  const auto high = read_half(text);
  if (!high || *high < 0xD800 || *high > 0xDBFF) return std::nullopt;
  const auto low = read_half(text.substr(kHalf));
  if (!low || *low < 0xDC00 || *low > 0xDFFF) return std::nullopt;
  return 0x10000 + ((*high & 0x3FF) << 10 | (*low & 0x3FF));
}

SurrogatePairs::SurrogatePairs(std::string_view text) : text_(text) {
  // In double quotes a backslash escapes the next character: `\\ud83c` is not a surrogate.
  for (std::size_t at = text.find('\\'); at < text.size(); at = text.find('\\', at)) {
    const auto value = read_surrogate_pair(text.substr(at));
    if (!value) {
      at += 2;
      continue;
    }
    if (places_.empty()) readable_ = text;
    const auto bits = static_cast<std::uint32_t>(*value) - 0x10000;
    readable_[at + 2] = readable_[at + kHalf + 2] = 'E';
    readable_[at + 3] = static_cast<char>('0' + (bits >> 18));
    readable_[at + kHalf + 3] = static_cast<char>('4' + (bits >> 8 & 3));
    places_.push_back(static_cast<std::uint32_t>(at));
    at += kSurrogatePair;
  }
}

std::vector<std::uint32_t>::const_iterator SurrogatePairs::first_from(std::uint32_t place) const {
  return std::lower_bound(places_.begin(), places_.end(), place);
}

bool SurrogatePairs::any_in(Span span) const {
  const auto first = first_from(span.begin);
  return first != places_.end() && *first < span.end;
}

std::optional<std::string> SurrogatePairs::restore(std::string_view decoded, YamlNode::Style style,
                                                   Span span) const {
  const auto offsets = align(slice(readable_, span), style, decoded, span.begin);
  if (offsets.empty()) return std::nullopt;
  const bool escapes = style == YamlNode::Style::double_quoted;
  std::string out;
  auto pair = first_from(span.begin);
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    while (pair != places_.end() && *pair + kSurrogatePair <= offsets[i]) ++pair;
    const bool in_pair = pair != places_.end() && *pair <= offsets[i];
    if (!in_pair || is_space(decoded[i]))
      out += decoded[i];
    else if (!escapes)
      out += text_[offsets[i]];
    else if (offsets[i] == *pair && decoded[i] == kFirstByte)
      append_utf8(out, *read_surrogate_pair(text_.substr(*pair)));
  }
  return out;
}

}  // namespace vibe::base
