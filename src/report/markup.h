// Markup: escapes foreign text for XML, HTML and Markdown. Whatever the bytes are, the result is
// plain text of the document: no markup, and no characters that the format does not allow. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vibe::report {

// Control characters become their pictures (`␛`); invalid UTF-8 and non-characters become U+FFFD.
std::string escaped(std::string_view text);  // between tags
// A message between HTML tags: text in backticks becomes code.
std::string prose(std::string_view message);
std::string attribute_value(std::string_view text);  // with its quotes

// One line of Markdown as code: only there nothing is markup, a mention or a link.
inline constexpr std::size_t kMostCode = 80;  // code points
std::string code(std::string_view text, std::size_t most = kMostCode);
std::string cell(std::string_view text);  // the same, for a table cell
std::size_t longest_run(std::string_view text, char of);

// The beginning of a text, and how long it was.
struct Clipped {
  std::string_view text;
  std::size_t length = 0;  // code points of the whole text, if it was clipped
  bool is_whole = true;
};
Clipped clip(std::string_view text, std::size_t most);  // code points

// `12,345`
std::string grouped(std::size_t number);

}  // namespace vibe::report
