// Markup: foreign text inside XML, HTML and Markdown. Whatever the bytes are, what comes out is
// text of the document: no markup, nothing that the formats cannot hold. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vibe::report {

// Control characters become their pictures (`␛`), what is not UTF-8 or no character U+FFFD.
std::string escaped(std::string_view text);  // between tags
// A message between tags of HTML: what it has in backticks is code.
std::string prose(std::string_view message);
std::string attribute_value(std::string_view text);  // with its quotes

// One line of Markdown as code: the one place where nothing is markup, a mention or a link.
inline constexpr std::size_t kMostCode = 80;  // code points
std::string code(std::string_view text, std::size_t most = kMostCode);
std::string cell(std::string_view text);  // the same in a table
std::size_t longest_run(std::string_view text, char of);

// The beginning of a text, and what is said about the rest.
struct Clipped {
  std::string_view text;
  std::size_t length = 0;  // code points of the whole text, where it was clipped
  bool is_whole = true;
};
Clipped clip(std::string_view text, std::size_t most);  // code points

// `12,345`
std::string grouped(std::size_t number);

}  // namespace vibe::report
