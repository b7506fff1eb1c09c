#include "check/yaml_json.h"

namespace vibe::check {

using base::YamlNode;

void write_json(const YamlNode& node, base::JsonWriter& json, Reading& reading) {
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
      for (const YamlNode* item : node.items) write_json(*item, json, reading);
      json.end_array();
      return;
    case YamlNode::Kind::map:
      json.begin_object();
      for (const auto& [key, value] : node.entries) {
        if (!reading.take_room(key->text.size(), key->span)) break;
        json.key(key->text);
        write_json(*value, json, reading);
      }
      json.end_object();
      return;
  }
}

}  // namespace vibe::check
