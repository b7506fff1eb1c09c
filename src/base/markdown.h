// Markdown: a text → its outline, as CommonMark with GitHub's tables sees it: what stands in prose,
// what in code, and where. Does not render. Pure; linear in the text, whatever its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::base {

// A heading, a paragraph, an item of a list (its own text), a cell of a table, a block of HTML:
// text without its markup, lines as they were written, code spans between backticks, HTML as it
// stands. There are no other backticks: one that is text, in a span too, is a `'`.
struct Prose {
  enum class Kind : std::uint8_t { heading, paragraph, item, cell, html };
  Kind kind = Kind::paragraph;
  std::uint32_t line = 1;  // of its beginning
  std::string text;
};

struct CodeBlock {
  std::string language;    // the first word behind the fence, in lower case; empty: none
  std::string text;        // without the indentation of what it stands in
  std::uint32_t line = 1;  // of the first line of code
  bool fenced = false;     // else indented
  bool closed = true;      // false: the fence does not end
};

struct Outline {
  std::vector<Prose> prose;     // in their order
  std::vector<CodeBlock> code;  // in their order
  bool headings = false, lists = false, tables = false;
  bool cut = false;  // the text is longer than kMostMarkdown; this is of its beginning

  bool has_fenced_code() const;
};

inline constexpr std::size_t kMostMarkdown = std::size_t{8} << 20;  // bytes that are looked at

Outline outline_of(std::string_view markdown);

}  // namespace vibe::base
