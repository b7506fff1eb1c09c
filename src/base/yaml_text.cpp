#include "base/yaml_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "base/yaml.h"

namespace vibe::base {

namespace {

bool is_letter(char c) { return lower_ascii(c) >= 'a' && lower_ascii(c) <= 'z'; }
bool is_plain(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') ||
         std::string_view("_-./:").find(c) != std::string_view::npos;
}

bool all_printable(std::string_view text, bool with_breaks) {
  for (std::size_t at = 0; at < text.size();) {
    const auto [value, length, valid] = decode(text, at);
    const bool is_break = with_breaks && value == '\n';
    if (!valid || (!is_printable(value) && !is_break)) return false;
    at += length;
  }
  return true;
}

// Can be written unchanged after `|`.
bool fits_block(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text.starts_with(' ') || text.starts_with('\n'))
    return false;
  if (text.ends_with("\n\n") || text.find(" \n") != std::string_view::npos) return false;
  return all_printable(text, true);
}

void write_node(JsonWriter& json, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::list) {
    json.begin_array();
    for (const YamlNode* item : node.items) write_node(json, *item);
    json.end_array();
  } else if (node.kind == YamlNode::Kind::map) {
    json.begin_object();
    for (const auto& [key, value] : node.entries) write_node(json.key(key->text), *value);
    json.end_object();
  } else if (node.is_null()) {
    json.null();
  } else if (const auto boolean = node.as_bool()) {
    json.boolean(*boolean);
  } else if (const auto integer = node.as_integer()) {
    json.integer(*integer);
  } else if (const auto number = node.as_number()) {
    json.number(*number);
  } else {
    json.string(node.text);
  }
}

}  // namespace

std::string yaml_text(std::string_view text) {
  // Words that some version of YAML reads as another type.
  constexpr std::array<std::string_view, 9> kWords{"y",    "n",     "yes", "no",  "on",
                                                   "true", "false", "off", "null"};
  if (!text.empty() && is_letter(text[0]) && std::ranges::all_of(text, is_plain) &&
      !text.ends_with(':') && std::ranges::find(kWords, lower_ascii(text)) == kWords.end())
    return std::string(text);
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const auto [value, length, valid] = decode(text, at);
    if (value == '"' || value == '\\')
      out.append("\\").append(text.substr(at, length));
    else if (value == '\n')
      out += "\\n";
    else if (value == '\t')
      out += "\\t";
    else if (is_printable(value))
      append_utf8(out, value);
    else
      out += fmt::format("\\U{:08X}", static_cast<std::uint32_t>(value));
    at += length;
  }
  return out + "\"";
}

std::string yaml_pattern(std::string_view text) {
  if (text.find_first_of("\\\"") == std::string_view::npos || !all_printable(text, false))
    return yaml_text(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string yaml_block(std::string_view text, std::size_t indent) {
  if (!fits_block(text)) return yaml_text(text);
  std::string out = text.ends_with('\n') ? "|" : "|-";
  if (text.ends_with('\n')) text.remove_suffix(1);
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += '\n';
    if (end > 0) out += std::string(indent, ' ') + std::string(text.substr(0, end));
    if (end == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

std::string to_json(const YamlNode& node) {
  JsonWriter json;
  write_node(json, node);
  return json.text();
}

}  // namespace vibe::base
