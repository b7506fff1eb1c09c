// Markup: foreign text inside XML and HTML. Whatever the bytes are, what comes out is text of the
// document: no markup, nothing that the formats cannot hold. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vibe::report {

// Control characters become their pictures (`␛`), what is not UTF-8 or no character U+FFFD.
std::string escaped(std::string_view text);  // between tags
std::string quoted(std::string_view text);   // a whole attribute value, with its quotes

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
