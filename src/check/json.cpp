// `json`: the response parses as JSON, and fits a JSON Schema if one is given.
#include "base/json.h"

#include <fmt/format.h>

#include "check/check.h"

namespace vibe::check {

using base::YamlNode;

namespace {

void write(const YamlNode& node, base::JsonWriter& json, Reading& reading) {
  switch (node.kind) {
    case YamlNode::Kind::scalar:
      if (!reading.take_room(node.text.size(), node.span))
        json.null();
      else if (node.is_null())
        json.null();
      else if (const auto flag = node.as_bool())
        json.boolean(*flag);
      else if (const auto whole = node.as_integer())
        json.integer(*whole);
      else if (const auto number = node.as_number())
        json.number(*number);
      else {
        if (reading.on_text) reading.on_text(node);
        json.string(node.text);
      }
      return;
    case YamlNode::Kind::list:
      json.begin_array();
      for (const YamlNode* item : node.items) write(*item, json, reading);
      json.end_array();
      return;
    case YamlNode::Kind::map:
      json.begin_object();
      for (const auto& [key, value] : node.entries) {
        if (!reading.take_room(key->text.size(), key->span)) break;
        json.key(key->text);
        write(*value, json, reading);
      }
      json.end_object();
      return;
  }
}

}  // namespace

std::optional<Arguments> read_json(const CheckKind& kind, const YamlNode& value, Reading& reading) {
  if (value.as_bool() == true) return Json{};
  if (value.kind != YamlNode::Kind::map) {
    report_type(quoted(kind.name), value, "`true` or a table", reading,
                fmt::format("write `json: true`, or `{}`", kind.example));
    return std::nullopt;
  }
  const Fields fields(kJsonSection, value, first_key(value), reading);
  const YamlNode* schema = fields.find("schema");
  if (!schema) return Json{};
  base::JsonWriter json;
  write(*schema, json, reading);
  return Json{json.text()};
}

}  // namespace vibe::check
