// JsonWriter: writes one JSON value, piece by piece, into a string. Handles commas and escapes.
// Bytes that are not UTF-8 become U+FFFD, so the output is always valid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace vibe::base {

class JsonWriter {
 public:
  enum class Layout { compact, indented };

  explicit JsonWriter(Layout layout = Layout::compact) : indented_(layout == Layout::indented) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& string(std::string_view text);
  JsonWriter& number(double value);  // shortest text that reads back the same; null if not finite
  JsonWriter& integer(std::int64_t value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  // For values that may be unknown: null for an empty text, or for none.
  JsonWriter& known(std::string_view text) { return text.empty() ? null() : string(text); }
  template <class Value>
  JsonWriter& known(const std::optional<Value>& value);
  JsonWriter& raw(std::string_view json);  // a complete JSON value, unchanged

  const std::string& text() const { return out_; }

 private:
  void before_value();
  void open(char bracket);
  void close(char bracket);
  void new_line();

  std::string out_;
  std::vector<bool> has_entries_;  // one per open object or array
  bool indented_, after_key_ = false;
};

template <class Value>
JsonWriter& JsonWriter::known(const std::optional<Value>& value) {
  if (!value) return null();
  if constexpr (std::is_same_v<Value, bool>)
    return boolean(*value);
  else if constexpr (std::is_integral_v<Value>)
    return integer(*value);
  else if constexpr (std::is_floating_point_v<Value>)
    return number(*value);
  else
    return string(*value);
}

}  // namespace vibe::base
