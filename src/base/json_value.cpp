#include "base/json_value.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/json_pointer.h"

namespace vibe::base {

namespace {

void write_value(JsonWriter& json, const JsonValue& value) {
  if (const auto* array = value.array()) {
    json.begin_array();
    for (const auto& item : *array) write_value(json, item);
    json.end_array();
  } else if (const auto* object = value.object()) {
    json.begin_object();
    for (const auto& [key, member] : *object) write_value(json.key(key), member);
    json.end_object();
  } else if (const auto* text = value.text()) {
    json.string(*text);
  } else if (const auto boolean = value.boolean()) {
    json.boolean(*boolean);
  } else if (const auto integer = value.integer()) {
    json.integer(*integer);
  } else if (const auto number = value.number()) {
    json.number(*number);
  } else {
    json.null();
  }
}

}  // namespace

std::optional<bool> JsonValue::boolean() const {
  const bool* value = std::get_if<bool>(&value_);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<double> JsonValue::number() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  const auto* value = std::get_if<double>(&value_);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::int64_t> JsonValue::integer() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return *value;
  const auto* value = std::get_if<double>(&value_);
  constexpr double kLimit = 9007199254740992.0;  // 2^53: whole numbers are exact up to here
  if (!value || std::trunc(*value) != *value || std::abs(*value) > kLimit) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

const JsonValue* JsonValue::find(std::string_view key) const {
  const Object* members = object();
  if (!members) return nullptr;
  const auto found = std::find_if(members->rbegin(), members->rend(),
                                  [&](const auto& member) { return member.first == key; });
  return found == members->rend() ? nullptr : &found->second;
}

const JsonValue* JsonValue::at(std::size_t index) const {
  const Array* items = array();
  return items && index < items->size() ? &(*items)[index] : nullptr;
}

const JsonValue* JsonValue::pointer(std::string_view path) const {
  const JsonValue* value = this;
  while (value && !path.empty()) {
    if (path[0] != '/') return nullptr;
    path.remove_prefix(1);
    const std::string_view token = path.substr(0, path.find('/'));
    path.remove_prefix(token.size());
    value = step(*value, token);
  }
  return value;
}

std::string_view JsonValue::text_of(std::string_view key) const {
  const JsonValue* member = find(key);
  const std::string* value = member ? member->text() : nullptr;
  return value ? std::string_view(*value) : std::string_view();
}

std::optional<double> JsonValue::number_of(std::string_view key) const {
  const JsonValue* member = find(key);
  return member ? member->number() : std::nullopt;
}

std::optional<std::int64_t> JsonValue::integer_of(std::string_view key) const {
  const JsonValue* member = find(key);
  return member ? member->integer() : std::nullopt;
}

std::string to_text(const JsonValue& value) {
  JsonWriter json;
  write_value(json, value);
  return json.text();
}

}  // namespace vibe::base
