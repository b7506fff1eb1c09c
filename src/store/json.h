// Json: lists in columns, as JSON text, empty for an empty list, by the tables of their items
// (base/shape.h). Bytes that are not UTF-8 become U+FFFD. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shape_json.h"
#include "fitness/record.h"
#include "score/run_shape.h"

namespace vibe::store {

template <class Item>
std::string to_json(const std::vector<Item>& items) {
  if (items.empty()) return {};
  base::JsonWriter json;
  base::write_value<base::KeptJson>(json, items);
  return json.text();
}
template <base::Shaped Object>
std::string to_json(const std::optional<Object>& object) {  // empty: none
  if (!object) return {};
  base::JsonWriter json;
  base::write_value<base::KeptJson>(json, *object);
  return json.text();
}
std::string to_json(const fitness::SignalFigures& signals);  // an object, by name

// False: the text is not valid.
template <class Item>
bool read_json(std::string_view text, std::vector<Item>& out) {
  if (text.empty()) return true;
  const auto json = base::parse_json(text);
  return json && json->array() && base::read_value<base::KeptJson>(*json, out);
}
template <base::Shaped Object>
bool read_json(std::string_view text, std::optional<Object>& out) {
  out.reset();
  if (text.empty()) return true;
  const auto json = base::parse_json(text);
  return json && json->object() && base::read_value<base::KeptJson>(*json, out);
}
bool read_json(std::string_view text, std::vector<score::NamedValue>& out);
bool read_json(std::string_view text, fitness::SignalFigures& out);

}  // namespace vibe::store
