// Writes and reads structs as JSON by the rows of their table (shape.h): for the store (KeptJson)
// or for the API (WireJson). Reads JSON from any source: a value that is missing or has another
// type is unknown. Pure.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/json_value.h"
#include "base/shape.h"
#include "base/text.h"
#include "base/time.h"

namespace vibe::base {

struct KeptJson {
  static constexpr std::string_view key(const auto& row) {
    if constexpr (std::decay_t<decltype(row)>::kIsMember)
      return row.column;
    else
      return {};
  }
  static constexpr Wire form(const auto&) { return Wire::given; }
  static constexpr bool kIsLenient = false;  // anything but a list in place of a list is damage
};
struct WireJson {
  static constexpr std::string_view key(const auto& row) { return row.key; }
  static constexpr Wire form(const auto& row) { return row.wire; }
  static constexpr bool kIsLenient = true;
};

// Specialised for each row with Wire::own: `write(JsonWriter&, const Object&)` writes keys and
// values; `read(const JsonValue&, Object&)` returns false if it cannot. The specialisation must be
// visible to all code that writes or reads such an object.
template <class Names, class Row>
struct Own {
  static constexpr bool kIsMissing = true;
};

enum class Detail : std::uint8_t { none, all };

// Any value: a number, a text, an enumerator, a struct with a table, or a list or optional of
// these.
template <class Names, class Value>
void write_value(JsonWriter& json, const Value& value);
// Numbers may be written as text. False: a list contains another type, or an enumerator is unknown.
template <class Names, class Value>
bool read_value(const JsonValue& from, Value& out);

// The keys and values of an object, between its braces.
template <class Names, class Object>
void write_members(JsonWriter& json, const Object& object, Detail detail = Detail::all);
// The keys and values of the given rows only.
template <class Names, class Rows, class Object>
void write_rows(JsonWriter& json, const Rows& rows, const Object& object,
                Detail detail = Detail::all);
template <class Names, class Object>
bool read_members(const JsonValue& from, Object& out);

namespace shape_detail {

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <class T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

// Every row that needs an Own has one.
template <class Names, class Object>
consteval bool has_own_forms() {
  return kRows<Object>.with_all([](const auto&... row) {
    return ((Names::form(row) != Wire::own || !requires {
              Own<Names, std::decay_t<decltype(row)>>::kIsMissing;
            }) && ...);
  });
}

// ---- writing

template <class Value>
bool is_given(const Value& value) {
  if constexpr (kIsOptional<Value>)
    return value.has_value();
  else if constexpr (std::same_as<Value, bool>)
    return value;
  else if constexpr (kIsList<Value> || std::same_as<Value, std::string>)
    return !value.empty();
  else
    return true;
}

inline void write_time(JsonWriter& json, const std::optional<std::int64_t>& time,
                       std::string (*to_text)(std::int64_t)) {
  time ? json.string(to_text(*time)) : json.null();
}

// In a form that fits the value's type.
template <class Names, class Value>
void write_as(JsonWriter& json, Wire form, const Value& value) {
  if constexpr (std::convertible_to<Value, std::optional<std::int64_t>>) {
    if (form == Wire::time) return write_time(json, value, &iso_time);
    if (form == Wire::micros) return write_time(json, value, &iso_micros);
  }
  if constexpr (std::same_as<Value, std::optional<bool>>)
    if (form == Wire::flag) return void(json.boolean(value.value_or(false)));
  if constexpr (Number<Value>)
    if (form == Wire::from_one) return void(json.integer(static_cast<std::int64_t>(value) + 1));
  if constexpr (std::same_as<Value, std::string>)
    if (form == Wire::json) return void(value.empty() ? json.null() : json.raw(value));
  if (form != Wire::value && !is_given(value) && !std::same_as<Value, bool>)
    return void(json.null());
  if (form == Wire::text) {
    JsonWriter number;
    write_value<Names>(number, value);
    return void(json.string(number.text()));
  }
  write_value<Names>(json, value);
}

// ---- reading

template <Number T>
std::optional<T> read_number(const JsonValue& from) {
  if constexpr (std::is_floating_point_v<T>) {
    return from.text() ? parse_double(*from.text()) : from.number();
  } else {
    const auto value = from.text() ? parse_integer(*from.text()) : from.integer();
    return value && std::in_range<T>(*value) ? std::optional(static_cast<T>(*value)) : std::nullopt;
  }
}

template <class Names, class Value>
bool read_as(const JsonValue& from, Wire form, Value& out) {
  if constexpr (std::same_as<Value, std::int64_t> ||
                std::same_as<Value, std::optional<std::int64_t>>)
    if (form == Wire::time || form == Wire::micros) {
      const auto parse = form == Wire::time ? &parse_time : &parse_micros;
      const auto time = from.text() ? parse(*from.text()) : std::nullopt;
      if constexpr (kIsOptional<Value>)
        out = time;
      else
        out = time.value_or(out);
      return true;
    }
  if constexpr (std::same_as<Value, std::string>)
    if (form == Wire::json) {
      out = from.is_null() ? std::string() : to_text(from);
      return true;
    }
  if constexpr (Number<Value>)
    if (form == Wire::from_one) {
      const auto number = read_number<Value>(from);
      if (number && *number > 0) out = *number - 1;
      return true;
    }
  const bool is_whole = read_value<Names>(from, out);
  return is_whole || (form == Wire::known && (std::is_enum_v<Value> || Shaped<Value>));
}

}  // namespace shape_detail

template <class Names, class Value>
void write_value(JsonWriter& json, const Value& value) {
  if constexpr (shape_detail::kIsOptional<Value>) {
    value ? write_value<Names>(json, *value) : void(json.null());
  } else if constexpr (shape_detail::kIsList<Value>) {
    json.begin_array();
    for (const auto& item : value) write_value<Names>(json, item);
    json.end_array();
  } else if constexpr (Shaped<Value>) {
    json.begin_object();
    write_members<Names>(json, value);
    json.end_object();
  } else if constexpr (std::is_enum_v<Value>) {
    json.string(to_string(value));
  } else if constexpr (std::same_as<Value, bool>) {
    json.boolean(value);
  } else if constexpr (std::is_unsigned_v<Value>) {
    json.raw(std::to_string(value));  // may be above what an int64 holds
  } else if constexpr (std::is_integral_v<Value>) {
    json.integer(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_floating_point_v<Value>) {
    json.number(value);
  } else {
    json.string(value);
  }
}

template <class Names, class Value>
bool read_value(const JsonValue& from, Value& out) {
  if constexpr (shape_detail::kIsOptional<Value>) {
    using Inner = typename Value::value_type;
    out.reset();
    if constexpr (shape_detail::Number<Inner>)
      out = shape_detail::read_number<Inner>(from);
    else if constexpr (std::same_as<Inner, bool>)
      out = from.boolean();
    else if constexpr (Shaped<Inner>)
      return !from.object() || read_members<Names>(from, out.emplace());
    else if (from.text())
      out = *from.text();
  } else if constexpr (shape_detail::kIsList<Value>) {
    if (!from.array()) return Names::kIsLenient || from.is_null();
    out.reserve(from.array()->size());
    for (const JsonValue& item : *from.array()) {
      using Item = typename Value::value_type;
      bool is_whole = true;
      if constexpr (shape_detail::Number<Item>)
        is_whole = item.number().has_value();
      else if constexpr (std::same_as<Item, std::string>)
        is_whole = item.text() != nullptr;
      if (!is_whole && Names::kIsLenient) continue;
      if (!is_whole || !read_value<Names>(item, out.emplace_back())) return false;
    }
  } else if constexpr (Shaped<Value>) {
    return from.object() && read_members<Names>(from, out);
  } else if constexpr (std::is_enum_v<Value>) {
    const auto found = from.text() ? kReadName<Value>(*from.text()) : std::nullopt;
    if (found) out = *found;
    return found.has_value();
  } else if constexpr (std::same_as<Value, bool>) {
    out = from.boolean().value_or(out);
  } else if constexpr (shape_detail::Number<Value>) {
    out = shape_detail::read_number<Value>(from).value_or(out);
  } else if (from.text()) {
    out = *from.text();
  }
  return true;
}

template <class Names, class Object>
void write_members(JsonWriter& json, const Object& object, Detail detail) {
  static_assert(shape_detail::has_own_forms<Names, Object>(), "include where they are specialised");
  write_rows<Names>(json, kRows<Object>, object, detail);
}

template <class Names, class Rows, class Object>
void write_rows(JsonWriter& json, const Rows& rows, const Object& object, Detail detail) {
  for_each_row(rows, [&](const auto& row) {
    const std::string_view key = Names::key(row);
    const Wire form = Names::form(row);
    if (key.empty() || (row.is_detail && detail == Detail::none)) return;
    using OwnForm = Own<Names, std::decay_t<decltype(row)>>;
    if constexpr (requires { OwnForm::write(json, object); }) {
      OwnForm::write(json, object);
    } else {
      const auto& value = row.of(object);
      if (form == Wire::given && !shape_detail::is_given(value)) return;
      json.key(key);
      shape_detail::write_as<Names>(json, form, value);
    }
  });
}

template <class Names, class Object>
bool read_members(const JsonValue& from, Object& out) {
  static_assert(shape_detail::has_own_forms<Names, Object>(), "include where they are specialised");
  static const JsonValue kMissing;
  bool is_whole = true;
  for_each_row(kRows<Object>, [&](const auto& row) {
    using ThisRow = std::decay_t<decltype(row)>;
    if constexpr (ThisRow::kIsMember) {
      const std::string_view key = Names::key(row);
      const Wire form = Names::form(row);
      if (key.empty() || !is_whole) return;
      if constexpr (requires { Own<Names, ThisRow>::read(from, out); }) {
        is_whole = Own<Names, ThisRow>::read(from, out);
      } else {
        const JsonValue* found = from.find(key);
        is_whole = row.fill(out, [&](auto& value) {
          return shape_detail::read_as<Names>(found ? *found : kMissing, form, value);
        });
      }
    }
  });
  return is_whole;
}

}  // namespace vibe::base
