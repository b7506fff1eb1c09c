#include "base/yaml_passage.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "base/yaml_surrogates.h"

namespace vibe::base {
namespace {

// Walks a decoded scalar and its source text in parallel. Every character that is not white space
// is in both, in the same order. The amount of white space depends on the style, so white space
// only keeps its position relative to the other characters.
class Alignment {
 public:
  Alignment(std::string_view written, YamlNode::Style style) : written_(written), style_(style) {
    const bool block = style == YamlNode::Style::literal || style == YamlNode::Style::folded;
    const bool quoted =
        style == YamlNode::Style::single_quoted || style == YamlNode::Style::double_quoted;
    if (quoted) at_ = 1;
    if (block) at_ = std::min(written.size(), written.find_first_of("\r\n"));  // after the header
  }

  // The offsets of all bytes, and of the end; empty if the two texts do not match.
  std::vector<std::uint32_t> run(std::string_view decoded, std::uint32_t base) {
    std::vector<std::uint32_t> offsets;
    offsets.reserve(decoded.size() + 1);
    for (std::size_t i = 0; i < decoded.size();) {
      const std::string_view character = decoded.substr(i, decode(decoded, i).length);
      const bool raw = is_space(character[0]) ? meet_white_space(character[0]) : meet(character);
      if (failed_) return {};
      for (std::size_t byte = 0; byte < character.size(); ++byte)
        offsets.push_back(base + static_cast<std::uint32_t>(begin_ + (raw ? byte : 0)));
      i += character.size();
    }
    offsets.push_back(base + static_cast<std::uint32_t>(at_));
    return offsets;
  }

 private:
  // The length of the line break or blank at the current offset, 0 for anything else.
  std::size_t blank() const {
    const std::string_view rest = written_.substr(at_);
    if (rest.empty()) return 0;
    if (is_space(rest[0])) return 1;
    if (rest.starts_with("\u0085")) return 2;
    return rest.starts_with("\u2028") || rest.starts_with("\u2029") ? 3 : 0;
  }

  struct Escape {
    std::string value;  // empty: an escaped line break
    std::size_t length;
  };

  Escape escape() const {
    const std::string_view rest = written_.substr(at_ + 1);
    if (rest.empty()) return {"\\", 1};
    const auto hex = [&](std::size_t digits) -> Escape {
      char32_t value = 0;
      for (const char digit : rest.substr(1, digits)) {
        const char32_t bits = digit <= '9' ? static_cast<char32_t>(digit - '0')
                                           : (static_cast<char32_t>(digit) - 'A' + 10) & 0xF;
        value = value << 4 | (bits & 0xF);
      }
      std::string text;
      append_utf8(text, value & 0x1FFFFF);
      return {text, 2 + digits};
    };
    switch (rest[0]) {
      case '0': return {std::string(1, '\0'), 2};
      case 'a': return {"\a", 2};
      case 'b': return {"\b", 2};
      case 't':
      case '\t': return {"\t", 2};
      case 'n': return {"\n", 2};
      case 'v': return {"\v", 2};
      case 'f': return {"\f", 2};
      case 'r': return {"\r", 2};
      case 'e': return {"\x1b", 2};
      case 'N': return {"\u0085", 2};
      case '_': return {"\u00A0", 2};
      case 'L': return {"\u2028", 2};
      case 'P': return {"\u2029", 2};
      case 'x': return hex(2);
      case 'u': {
        const auto pair = read_surrogate_pair(written_.substr(at_));
        if (!pair) return hex(4);
        std::string text;
        append_utf8(text, *pair);
        return {text, kSurrogatePair};
      }
      case 'U': return hex(8);
      case '\n': return {"", 2};
      case '\r': return {"", rest.starts_with("\r\n") ? std::size_t{3} : 2};
      default: break;
    }
    if (rest.starts_with("\u0085")) return {"", 3};
    if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) return {"", 4};
    return {std::string(1, rest[0]), 2};
  }

  // Consumes `length` bytes of the source text for the next character.
  void take(std::size_t length) {
    begin_ = at_;
    at_ = std::min(written_.size(), at_ + length);
  }

  bool at_escape() const {
    return style_ == YamlNode::Style::double_quoted && at_ < written_.size() &&
           written_[at_] == '\\';
  }

  // Finds the next character; returns whether it is written as itself.
  bool meet(std::string_view character) {
    while (at_ < written_.size()) {
      if (at_escape()) {
        const Escape next = escape();
        if (next.value == character) {
          take(next.length);
          return false;
        }
        if (!next.value.empty() && !is_space(next.value[0])) break;
        take(next.length);
        continue;
      }
      if (written_.substr(at_).starts_with(character)) {
        const bool doubled = style_ == YamlNode::Style::single_quoted && character == "'";
        take(doubled ? 2 : character.size());
        return true;
      }
      if (blank() == 0) break;
      take(blank());
    }
    failed_ = true;
    return false;
  }

  bool meet_white_space(char wanted) {
    while (at_escape()) {
      const Escape next = escape();
      if (!next.value.empty()) {
        if (next.value[0] == wanted) {
          take(next.length);
        } else {
          begin_ = at_;
        }
        return true;
      }
      take(next.length);
      while (at_ < written_.size() && (written_[at_] == ' ' || written_[at_] == '\t')) ++at_;
    }
    const std::string_view rest = written_.substr(at_);
    if (wanted == '\n' && rest.starts_with("\r\n"))
      take(2);
    else
      take(rest.starts_with(wanted) ? 1 : 0);
    return true;
  }

  std::string_view written_;
  YamlNode::Style style_;
  std::size_t at_ = 0, begin_ = 0;  // the end of the last character, and its beginning
  bool failed_ = false;
};

}  // namespace

std::vector<std::uint32_t> align(std::string_view written, YamlNode::Style style,
                                 std::string_view decoded, std::uint32_t begin) {
  return Alignment(written, style).run(decoded, begin);
}

Passage YamlDocument::passage(const YamlNode& scalar) const {
  Passage passage{std::string(scalar.text), source_, {}};
  const Span span = scalar.span;
  const std::string_view written = slice(source_->text(), span);
  passage.offsets = align(written, scalar.style, scalar.text, span.begin);
  if (passage.offsets.empty()) {
    passage.offsets.assign(scalar.text.size(), span.begin);
    passage.offsets.push_back(span.end);
  }
  return passage;
}

}  // namespace vibe::base
