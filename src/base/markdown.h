// Markdown: a text → its outline, by CommonMark with GitHub's tables: which parts are prose, which
// are code, and where. Does not render. Pure; linear in the text's length, whatever its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::base {

// A heading, a paragraph, a list item (its own text), a table cell or an HTML block: text without
// its markup, with its original lines; code spans are in backticks, HTML is unchanged. There are no
// other backticks: a literal one becomes `'`, also inside a code span.
struct Prose {
  enum class Kind : std::uint8_t { heading, paragraph, item, cell, html };
  Kind kind = Kind::paragraph;
  std::uint32_t line = 1;  // where it begins
  std::string text;
};

struct CodeBlock {
  std::string language;    // the first word after the fence, in lower case; empty: none
  std::string text;        // without the indentation of its container
  std::uint32_t line = 1;  // of the first line of code
  bool fenced = false;     // else indented
  bool closed = true;      // false: the fence is not closed
};

struct Outline {
  std::vector<Prose> prose;     // in order
  std::vector<CodeBlock> code;  // in order
  bool headings = false, lists = false, tables = false;
  bool cut = false;  // the text is longer than kMostMarkdown; this is the outline of its beginning

  bool has_fenced_code() const;
};

inline constexpr std::size_t kMostMarkdown = std::size_t{8} << 20;  // bytes that are read

Outline outline_of(std::string_view markdown);

}  // namespace vibe::base
