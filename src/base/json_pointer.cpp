#include "base/json_pointer.h"

#include <charconv>
#include <cstddef>

namespace vibe::base {

namespace {

bool is_escape(std::string_view text, std::size_t at) {
  return text[at] == '~' && at + 1 < text.size() && (text[at + 1] == '0' || text[at + 1] == '1');
}

}  // namespace

bool is_json_pointer(std::string_view text) {
  if (text.empty()) return true;
  if (text[0] != '/') return false;
  for (auto at = text.find('~'); at != std::string_view::npos; at = text.find('~', at + 1))
    if (!is_escape(text, at)) return false;
  return true;
}

std::string escape_key(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

std::string unescape_key(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (is_escape(token, i))
      out += token[++i] == '0' ? '~' : '/';
    else
      out += token[i];
  }
  return out;
}

const JsonValue* step(const JsonValue& value, std::string_view token) {
  if (!value.array()) return value.find(unescape_key(token));
  std::size_t index = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, index);
  return error == std::errc{} && stop == end ? value.at(index) : nullptr;
}

}  // namespace vibe::base
