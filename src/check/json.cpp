// `json`: the response parses as JSON, and fits a JSON Schema if one is given.
#include <fmt/format.h>

#include "check/check.h"
#include "check/yaml_json.h"

namespace vibe::check {

using base::YamlNode;

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
  write_json(*schema, json, reading);
  return Json{json.text()};
}

}  // namespace vibe::check
