#include <charconv>
#include <cmath>

#include "base/text.h"
#include "base/yaml.h"

namespace vibe::base {
namespace {

// Whether a scalar can have another type than text.
bool is_untyped(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar && node.style == YamlNode::Style::plain &&
         node.tag != "!!str" && node.tag != "!";
}

std::optional<std::int64_t> parse_in_base(std::string_view digits, int base) {
  std::int64_t value = 0;
  if (digits.empty() || digits.front() == '-') return std::nullopt;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const YamlEntry& entry : entries)
    if (entry.key->text == key) return entry.value;
  return nullptr;
}

bool YamlNode::is_null() const {
  return is_untyped(*this) &&
         (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL");
}

std::optional<bool> YamlNode::as_bool() const {
  if (!is_untyped(*this)) return std::nullopt;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

std::optional<std::int64_t> YamlNode::as_integer() const {
  if (!is_untyped(*this)) return std::nullopt;
  if (text.starts_with("0x")) return parse_in_base(text.substr(2), 16);
  if (text.starts_with("0o")) return parse_in_base(text.substr(2), 8);
  return parse_integer(text);
}

std::optional<double> YamlNode::as_number() const {
  if (!is_untyped(*this)) return std::nullopt;
  if (text.starts_with("0x") || text.starts_with("0o")) {
    const auto value = as_integer();
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  }
  return parse_double(text);
}

std::optional<std::int64_t> YamlNode::as_whole() const {
  if (const auto integer = as_integer()) return integer;
  constexpr double kExact = 9'007'199'254'740'992;  // 2^53
  const auto number = as_number();
  if (!number || std::abs(*number) > kExact || std::trunc(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::string_view YamlNode::describe() const {
  switch (kind) {
    case Kind::list: return "a list";
    case Kind::map: return "a table";
    case Kind::scalar: break;
  }
  if (is_null()) return "nothing";
  if (as_bool()) return "true or false";
  if (as_number()) return "a number";
  return "text";
}

}  // namespace vibe::base
