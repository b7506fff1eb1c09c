// Source: a named text, and positions in it. Passage: a piece of text that was extracted from a
// source (a YAML scalar, say) and still knows its position there. Immutable once built, so safe to
// share between threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::base {

struct Span {
  std::uint32_t begin = 0, end = 0;  // byte offsets, half-open
  bool operator==(const Span&) const = default;
};

inline std::string_view slice(std::string_view text, Span span) {
  return text.substr(span.begin, span.end - span.begin);
}

struct Position {
  std::uint32_t line = 1, column = 1;  // 1-based; columns count code points
};

class Source {
 public:
  // `first_line` is the number of the text's first line: a line of a stream that is not in memory
  // as a whole is its own Source.
  Source(std::string name, std::string text, std::uint32_t first_line = 1);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  Position position(std::uint32_t offset) const;         // clamped to the text
  std::string_view line_at(std::uint32_t offset) const;  // without its line break
  std::uint32_t line_begin(std::uint32_t offset) const;

 private:
  std::size_t line_index(std::uint32_t offset) const;
  std::uint32_t code_points_before(std::uint32_t offset) const;

  std::string name_, text_;
  std::uint32_t first_line_;
  std::vector<std::uint32_t> line_starts_;
  std::vector<std::uint32_t> code_points_;  // before each 4 KiB of the text; empty: it is all ASCII
};

using SourcePtr = std::shared_ptr<const Source>;

SourcePtr make_source(std::string name, std::string text, std::uint32_t first_line = 1);

struct Passage {
  std::string text;
  SourcePtr source;
  // offsets[i] is the offset of text[i] in the source, offsets[text.size()] the end. Empty: the
  // text is the source's whole text.
  std::vector<std::uint32_t> offsets;

  Span locate(Span in_text) const;  // the same characters, in the source
};

Passage whole(SourcePtr source);

}  // namespace vibe::base
