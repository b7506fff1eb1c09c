#include "check/yaml_json.h"

namespace vibe::check {

using base::YamlNode;

bool YamlAsJson::write(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::scalar: return write_scalar(node);
    case YamlNode::Kind::list:
      json_.begin_array();
      for (const YamlNode* item : node.items)
        if (!write(*item)) return false;
      json_.end_array();
      return true;
    case YamlNode::Kind::map:
      json_.begin_object();
      for (const auto& [key, value] : node.entries) {
        if (!reading_.take_room(key->text.size(), key->span)) return false;
        look_at(*key);
        json_.key(key->text);
        if (!write(*value)) return false;
      }
      json_.end_object();
      return true;
  }
  return false;
}

void YamlAsJson::look_at(const YamlNode& text) {
  if (reading_.on_text && reading_.on_text(text)) templates_.insert(&text);
}

bool YamlAsJson::write_scalar(const YamlNode& node) {
  if (!reading_.take_room(node.text.size(), node.span)) return false;
  if (node.is_null()) {
    json_.null();
  } else if (const auto flag = node.as_bool()) {
    json_.boolean(*flag);
  } else if (const auto whole = node.as_integer()) {
    json_.integer(*whole);
  } else if (const auto number = node.as_number()) {
    json_.number(*number);
  } else {
    look_at(node);
    json_.string(node.text);
  }
  return true;
}

}  // namespace vibe::check
