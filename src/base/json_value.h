// JsonValue: a parsed JSON document as a tree of plain values. For documents from any source: depth
// and size are limited, errors are results. Numbers are doubles; whole numbers are also exact
// 64-bit integers. Objects keep their order; of equal keys the last one counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

namespace vibe::base {

class JsonValue {
 public:
  using Array = std::vector<JsonValue>;
  using Object = std::vector<std::pair<std::string, JsonValue>>;
  using Value =
      std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object>;

  JsonValue() = default;
  explicit JsonValue(Value value) : value_(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  const Array* array() const { return std::get_if<Array>(&value_); }
  const Object* object() const { return std::get_if<Object>(&value_); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  std::optional<bool> boolean() const;
  std::optional<double> number() const;
  std::optional<std::int64_t> integer() const;  // also for a double without a fraction

  // A member or element; null if there is none, or this is another type.
  const JsonValue* find(std::string_view key) const;
  const JsonValue* at(std::size_t index) const;
  // By JSON pointer (RFC 6901): `/choices/0/message`.
  const JsonValue* pointer(std::string_view path) const;

  // A member's value: empty, or none, if it is missing or of another type.
  std::string_view text_of(std::string_view key) const;
  std::optional<double> number_of(std::string_view key) const;
  std::optional<std::int64_t> integer_of(std::string_view key) const;

 private:
  Value value_;
};

// The document, or why it is not valid, in words. Bytes that are not UTF-8 make it invalid.
tl::expected<JsonValue, std::string> parse_json(std::string_view text);

std::string to_text(const JsonValue& value);  // compact JSON

}  // namespace vibe::base
