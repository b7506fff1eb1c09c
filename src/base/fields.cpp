#include "base/fields.h"

#include <cstdlib>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::base {

namespace {

constexpr std::size_t kTypo = 2;     // edits
constexpr std::size_t kShort = 256;  // bytes that are cheap to compare

bool only_digits(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool number_fits(const Field& field, const YamlNode& value, YamlReading& reading) {
  const auto number = value.as_number();
  const bool whole = field.type == Type::number || value.as_whole() || only_digits(value.text);
  if (!number || !whole) {
    const bool in_quotes = value.kind == YamlNode::Kind::scalar &&
                           value.style != YamlNode::Style::plain && parse_double(value.text);
    report_type(quoted(field.name), value, takes(field), reading,
                in_quotes ? "remove the quotes" : "");
    return false;
  }
  if (!field.range.holds(*number) || (field.type == Type::integer && !value.as_whole())) {
    const std::string range = to_text(field.range);
    reading.add(Code::out_of_range, value,
                fmt::format("{} is {}, but must be {}", quoted(field.name), value.text,
                            range.empty() ? "within 64 bits" : range));
    return false;
  }
  return true;
}

}  // namespace

std::string to_text(const Range& range) {
  const bool low = range.least != -std::numeric_limits<double>::infinity();
  const bool high = range.most != std::numeric_limits<double>::infinity();
  if (low && high && !range.above && !range.below)
    return fmt::format("from {} to {}", range.least, range.most);
  std::string out;
  if (low) out = fmt::format("{} {}", range.above ? "more than" : "at least", range.least);
  if (high)
    out += fmt::format("{}{} {}", low ? " and " : "", range.below ? "less than" : "at most",
                       range.most);
  return out;
}

std::string_view noun(Type type) {
  switch (type) {
    case Type::text:
    case Type::text_or_empty: return "text";
    case Type::number: return "a number";
    case Type::integer: return "a whole number";
    case Type::boolean: return "`true` or `false`";
    case Type::list: return "a list";
    case Type::map: return "a table";
    case Type::any: return "a value";
  }
  std::abort();
}

std::string takes(const Field& field) { return takes(field, noun(field.type)); }

std::string takes(const Field& field, std::string_view type) {
  if (!field.takes.empty()) return std::string(field.takes);
  const std::string range = to_text(field.range);
  if (range.empty()) return std::string(type);
  return fmt::format("{}{} {}", type, range.starts_with("from") ? "" : ",", range);
}

void report_type(std::string_view what, const YamlNode& value, std::string_view expected,
                 YamlReading& reading, std::string hint) {
  const bool plain_text = value.kind == YamlNode::Kind::scalar &&
                          value.style == YamlNode::Style::plain && !value.is_null();
  reading.add(
      Code::wrong_type, value,
      fmt::format("{} is {}, expected {}", what,
                  plain_text ? quoted(value.text) : std::string(value.describe()), expected),
      std::move(hint));
}

bool fits(const Field& field, const YamlNode& value, YamlReading& reading) {
  if (value.text.size() > kShort && !reading.take_room(value.text.size(), value.span)) return false;
  switch (field.type) {
    case Type::text:
    case Type::text_or_empty:
      if (value.kind != YamlNode::Kind::scalar || value.is_null()) {
        const bool flow_map = value.kind == YamlNode::Kind::map &&
                              reading.document().source()->text()[value.span.begin] == '{';
        report_type(quoted(field.name), value, takes(field), reading,
                    flow_map ? "quote the value if it is meant to begin with `{`" : "");
        return false;
      }
      if (field.type == Type::text && trim(value.text).empty()) {
        reading.add(Code::bad_value, value, fmt::format("{} is empty", quoted(field.name)));
        return false;
      }
      return true;
    case Type::number:
    case Type::integer: return number_fits(field, value, reading);
    case Type::boolean:
      if (value.as_bool()) return true;
      report_type(quoted(field.name), value, takes(field), reading);
      return false;
    case Type::list:
    case Type::map:
      if (value.kind == (field.type == Type::list ? YamlNode::Kind::list : YamlNode::Kind::map))
        return true;
      report_type(quoted(field.name), value, takes(field), reading,
                  fmt::format("write `{}`", field.example));
      return false;
    case Type::any: return true;
  }
  std::abort();
}

bool own_key(std::string_view key) { return key.starts_with("x-"); }

Span first_key(const YamlNode& map) {
  return map.entries.empty() ? map.span : map.entries.front().key->span;
}

std::vector<std::string_view> near_keys(const Section& section, std::string_view key) {
  std::vector<std::string_view> near;
  std::size_t distance = kTypo;
  for (const Field& field : section.fields) {
    const std::size_t edits = edit_distance(key, field.name, distance);
    if (edits > distance) continue;
    if (edits < distance) near.clear();
    distance = edits;
    near.push_back(field.name);
  }
  return near;
}

Fields::Fields(const Section& section, const YamlNode& map, Span place, YamlReading& reading)
    : section_(section), reading_(reading) {
  for (const YamlEntry& entry : map.entries) {
    const std::size_t at = slot(entry.key->text);
    if (at == section_.fields.size()) {
      report_unknown(*entry.key);
      continue;
    }
    present_[at] = true;
    if (fits(section_.fields[at], *entry.value, reading_)) entries_[at] = &entry;
  }
  for (std::size_t i = 0; i < section_.fields.size(); ++i) {
    const Field& field = section_.fields[i];
    if (field.required && !present_[i])
      reading_.add(Code::missing_key, place,
                   fmt::format("{} has no {}", section_.owner, quoted(field.name)),
                   field.example.empty() ? "" : fmt::format("add `{}`", field.example));
  }
}

std::size_t Fields::slot(std::string_view key) const {
  std::size_t i = 0;
  while (i < section_.fields.size() && section_.fields[i].name != key) ++i;
  return i;
}

void Fields::report_unknown(const YamlNode& key) {
  if (own_key(key.text)) return;
  const auto near = near_keys(section_, key.text);
  const std::string message = fmt::format("{} has no key {}", section_.owner, quoted(key.text));
  if (near.empty())
    reading_.add(Code::unknown_key, key, message, "your own keys start with `x-`");
  else
    reading_.add(Code::misspelt_key, key, message, did_you_mean(near));
  for (const auto name : near) present_[slot(name)] = true;  // one mistake, one error
}

const YamlNode* Fields::find(std::string_view key) const {
  const std::size_t at = slot(key);
  return at < entries_.size() && entries_[at] ? entries_[at]->value : nullptr;
}

bool Fields::has(std::string_view key) const {
  const std::size_t at = slot(key);
  return at < present_.size() && present_[at];
}

Span Fields::key_span(std::string_view key) const { return entries_[slot(key)]->key->span; }

std::optional<std::string> Fields::text(std::string_view key) const {
  const YamlNode* value = find(key);
  if (!value) return std::nullopt;
  return reading_.text(*value);
}

std::optional<double> Fields::number(std::string_view key) const {
  const YamlNode* value = find(key);
  return value ? value->as_number() : std::nullopt;
}

std::optional<std::int64_t> Fields::integer(std::string_view key) const {
  const YamlNode* value = find(key);
  return value ? value->as_whole() : std::nullopt;
}

std::optional<bool> Fields::boolean(std::string_view key) const {
  const YamlNode* value = find(key);
  return value ? value->as_bool() : std::nullopt;
}

}  // namespace vibe::base
