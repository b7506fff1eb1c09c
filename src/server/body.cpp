#include "server/body.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "base/yaml_reading.h"

namespace vibe::server {

using base::Code;
using base::Field;
using base::JsonValue;
using base::Type;

namespace {

constexpr std::size_t kMostUnknown = 100;  // keys of an object that are checked

bool is_number(const Field& field, const JsonValue& value) {
  const auto number = value.number();
  if (!number || !field.range.holds(*number)) return false;
  return field.type == Type::number || value.integer();
}

bool is_fit(const Field& field, const JsonValue& value) {
  switch (field.type) {
    case Type::text: return value.text() != nullptr && !base::trim(*value.text()).empty();
    case Type::text_or_empty: return value.text() != nullptr;
    case Type::number:
    case Type::integer: return is_number(field, value);
    case Type::boolean: return value.boolean().has_value();
    case Type::list: return value.array() != nullptr;
    case Type::map: return value.object() != nullptr;
    case Type::any: return true;
  }
  std::abort();
}

std::string_view json_noun(Type type) {
  switch (type) {
    case Type::text: return "a string that is not empty";
    case Type::text_or_empty: return "a string";
    case Type::boolean: return "true or false";
    case Type::map: return "an object";
    case Type::number:
    case Type::integer:
    case Type::list:
    case Type::any: return base::noun(type);
  }
  std::abort();
}

}  // namespace

std::string takes_json(const Field& field) { return base::takes(field, json_noun(field.type)); }

Body::Body(const base::Section& section, const JsonValue& object)
    : Body(section, object.object(), "") {}

Body::Body(const base::Section& section, const JsonValue::Object* members, std::string path)
    : section_(section), path_(std::move(path)) {
  if (!members) return;
  for (const auto& [key, value] : *members)  // the last of equal keys counts
    if (const std::size_t at = slot(key); at < section_.fields.size())
      values_[at] = value.is_null() ? nullptr : &value;
  for (const auto& [key, value] : *members)
    if (slot(key) == section_.fields.size()) note_unknown(key, value);
}

std::size_t Body::slot(std::string_view key) const {
  std::size_t i = 0;
  while (i < section_.fields.size() && section_.fields[i].name != key) ++i;
  return i;
}

void Body::note_unknown(std::string_view key, const JsonValue& value) {
  if (unknown_.size() == kMostUnknown || (is_open() && value.is_null())) return;
  auto near = base::near_keys(section_, key);
  if (is_open()) std::erase_if(near, [this](std::string_view known) { return find(known); });
  unknown_.push_back({key, std::move(near)});
}

const JsonValue* Body::find(std::string_view key) const {
  const std::size_t at = slot(key);
  assert(at < section_.fields.size());  // else the table lacks a row
  return values_[at];
}

bool Body::has(std::string_view key) const {
  const auto is_meant = [&](const Unknown& unknown) {
    return std::find(unknown.near.begin(), unknown.near.end(), key) != unknown.near.end();
  };
  return find(key) || std::any_of(unknown_.begin(), unknown_.end(), is_meant);
}

bool Body::fits(std::string_view key) const {
  const JsonValue* value = find(key);
  return value && is_fit(section_.fields[slot(key)], *value);
}

std::optional<std::string> Body::text(std::string_view key) const {
  const JsonValue* value = find(key);
  return value && value->text() ? std::optional(*value->text()) : std::nullopt;
}

std::optional<double> Body::number(std::string_view key) const {
  const JsonValue* value = find(key);
  return value ? value->number() : std::nullopt;
}

std::optional<std::int64_t> Body::integer(std::string_view key) const {
  const JsonValue* value = find(key);
  return value ? value->integer() : std::nullopt;
}

std::optional<bool> Body::boolean(std::string_view key) const {
  const JsonValue* value = find(key);
  return value ? value->boolean() : std::nullopt;
}

Body Body::section(std::string_view key) const {
  const JsonValue* value = find(key);  // the section has the key
  const Field& field = section_.fields[slot(key)];
  return {*field.section, value ? value->object() : nullptr, fmt::format("{}{}.", path_, key)};
}

void Body::refuse(std::string_view key, std::string_view why, base::Diagnostics& out) const {
  out.add(Code::bad_usage, {}, fmt::format("`{}{}` {}", path_, key, why));
}

void Body::refuse(std::string_view key, base::Diagnostics& out) const {
  refuse(key, "must be " + takes_json(section_.fields[slot(key)]), out);
}

void Body::report(base::Diagnostics& out) const {
  for (const Field& field : section_.fields) report_value(field, out);
  for (const Unknown& unknown : unknown_) report_unknown(unknown, out);
}

void Body::report_value(const Field& field, base::Diagnostics& out) const {
  const JsonValue* value = find(field.name);
  if (value && !is_fit(field, *value)) return refuse(field.name, out);
  if (value && field.section) return section(field.name).report(out);
  if (!field.required || has(field.name)) return;
  out.add(Code::bad_usage, {}, fmt::format("`{}{}` is missing", path_, field.name),
          field.takes.empty() ? "" : fmt::format("give {}", field.takes));
}

void Body::report_unknown(const Unknown& unknown, base::Diagnostics& out) const {
  std::string hint = base::did_you_mean(unknown.near);
  if (hint.empty()) {
    if (is_open()) return;
    std::vector<std::string_view> keys;
    for (const Field& field : section_.fields) keys.push_back(field.name);
    hint = fmt::format("known keys: `{}`", fmt::join(keys, "`, `"));
  }
  out.add(Code::bad_usage, {},
          fmt::format("{} has no key {}", section_.owner, base::quoted(unknown.key)),
          std::move(hint));
}

}  // namespace vibe::server
