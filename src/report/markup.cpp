#include "report/markup.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::report {

namespace {

constexpr char32_t kReplacement = 0xFFFD, kPictures = 0x2400, kPictureOfDelete = 0x2421;

bool is_no_character(char32_t value) {
  return (value & 0xFFFE) == 0xFFFE || (value >= 0xFDD0 && value <= 0xFDEF);
}

// The entity for a character, or empty if it needs none.
std::string_view entity(char32_t value, bool in_attribute) {
  switch (value) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    case '\r': return "&#13;";
    case '\n': return in_attribute ? "&#10;" : "";
    case '\t': return in_attribute ? "&#9;" : "";
    default: return {};
  }
}

// Characters that need no escaping in XML and HTML: most of any text.
constexpr bool is_plain(char c) {
  return c >= ' ' && c < 0x7F && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'';
}

std::string escape(std::string_view text, bool in_attribute) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_plain(text[end])) ++end;
    out.append(text, at, end - at);
    at = end;
    if (at == text.size()) break;
    const auto next = base::decode(text, at);
    at += next.length;
    const auto name = entity(next.value, in_attribute);
    if (!name.empty())
      out += name;
    else if (next.value < 0x20 && next.value != '\n' && next.value != '\t')
      base::append_utf8(out, kPictures + next.value);
    else if (next.value == 0x7F)
      base::append_utf8(out, kPictureOfDelete);
    else
      base::append_utf8(out,
                        is_no_character(next.value) || (next.value >= 0x80 && next.value < 0xA0)
                            ? kReplacement
                            : next.value);
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text) { return escape(text, false); }

// As in Markdown, a span ends with as many backticks as it begins with, in the same line.
std::string prose(std::string_view message) {
  std::string out;
  std::size_t plain = 0;  // the start of the text not written yet
  for (std::size_t at = message.find('`'); at < message.size(); at = message.find('`', at)) {
    const std::size_t begin = std::min(message.find_first_not_of('`', at), message.size());
    const std::string_view fence = message.substr(at, begin - at);
    const std::size_t line_end = std::min(message.find('\n', begin), message.size());
    std::size_t end = message.find(fence, begin);
    while (end < line_end && message.substr(end + fence.size()).starts_with('`'))
      end = message.find(fence, message.find_first_not_of('`', end));
    if (end >= line_end) {
      at = begin;
      continue;
    }
    out += escape(message.substr(plain, at - plain), false);
    out += fmt::format("<code>{}</code>", escape(message.substr(begin, end - begin), false));
    plain = at = end + fence.size();
  }
  return out + escape(message.substr(plain), false);
}

std::string attribute_value(std::string_view text) { return "\"" + escape(text, true) + "\""; }

std::size_t longest_run(std::string_view text, char of) {
  std::size_t longest = 0, length = 0;
  for (const char c : text) {
    length = c == of ? length + 1 : 0;
    longest = std::max(longest, length);
  }
  return longest;
}

std::string code(std::string_view text, std::size_t most) {
  std::string line = base::shorten(base::printable(base::trim(text)), most);
  if (line.empty()) return "` `";
  const std::string fence(longest_run(line, '`') + 1, '`');
  const bool padded = line.front() == '`' || line.back() == '`';
  return fmt::format("{}{}{}{}{}", fence, padded ? " " : "", line, padded ? " " : "", fence);
}

// A `|` ends the cell even inside code.
std::string cell(std::string_view text) {
  std::string out = code(text);
  for (std::size_t at = 0; (at = out.find('|', at)) != std::string::npos; at += 2)
    out.insert(at, 1, '\\');
  return out;
}

Clipped clip(std::string_view text, std::size_t most) {
  if (text.size() <= most) return {text, text.size(), true};  // no need to count
  Clipped out{text, 0, true};
  for (std::size_t at = 0; at < text.size(); ++out.length) {
    if (out.length == most) {
      out.text = text.substr(0, at);
      out.is_whole = false;
    }
    at += static_cast<unsigned char>(text[at]) < 0x80 ? 1 : base::decode(text, at).length;
  }
  return out;
}

std::string grouped(std::size_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, ",");
  return out;
}

}  // namespace vibe::report
