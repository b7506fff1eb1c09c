#include "store/json.h"

#include <array>
#include <cstddef>

#include "base/json.h"
#include "base/json_value.h"

namespace vibe::store {

using base::JsonValue;
using base::JsonWriter;

namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 3> kVerdicts{"pass", "fail", "error"};

void write(JsonWriter& json, const check::Finding& finding) {
  json.begin_object().key("type").string(finding.type);
  json.key("verdict").string(kVerdicts[static_cast<std::size_t>(finding.verdict)]);
  json.key("message").string(finding.message);
  if (!finding.children.empty()) {
    json.key("children").begin_array();
    for (const auto& child : finding.children) write(json, child);
    json.end_array();
  }
  json.end_object();
}

void write(JsonWriter& json, const score::ToolCall& call) {
  json.begin_object().key("name").string(call.name);
  json.key("arguments").string(call.arguments).end_object();
}

void write(JsonWriter& json, const score::NamedValue& value) {
  json.begin_object().key("name").string(value.name);
  if (!value.formula.empty()) json.key("formula").string(value.formula);
  if (value.value) json.key("value").number(*value.value);
  if (!value.error.empty()) json.key("error").string(value.error);
  json.end_object();
}

template <class Item>
std::string list_to_json(const std::vector<Item>& items) {
  if (items.empty()) return {};
  JsonWriter json;
  json.begin_array();
  for (const Item& item : items) write(json, item);
  json.end_array();
  return json.text();
}

std::optional<std::vector<check::Finding>> findings_of(const JsonValue& list);

bool read(const JsonValue& from, check::Finding& out) {
  out.type = from.text_of("type");
  out.message = from.text_of("message");
  std::size_t verdict = 0;
  while (verdict < kVerdicts.size() && kVerdicts[verdict] != from.text_of("verdict")) ++verdict;
  if (verdict == kVerdicts.size()) return false;
  out.verdict = static_cast<check::Verdict>(verdict);
  if (const JsonValue* children = from.find("children")) {
    auto inner = findings_of(*children);
    if (!inner) return false;
    out.children = std::move(*inner);
  }
  return true;
}

bool read(const JsonValue& from, score::ToolCall& out) {
  out.name = from.text_of("name");
  out.arguments = from.text_of("arguments");
  return from.object() != nullptr;
}

bool read(const JsonValue& from, score::NamedValue& out) {
  out.name = from.text_of("name");
  out.formula = from.text_of("formula");
  out.value = from.number_of("value");
  out.error = from.text_of("error");
  return from.object() != nullptr;
}

template <class Item>
std::optional<std::vector<Item>> list_of(const JsonValue& list) {
  if (!list.array()) return std::nullopt;
  std::vector<Item> out(list.array()->size());
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!read((*list.array())[i], out[i])) return std::nullopt;
  return out;
}

std::optional<std::vector<check::Finding>> findings_of(const JsonValue& list) {
  return list_of<check::Finding>(list);
}

template <class Item>
std::optional<std::vector<Item>> read_list(std::string_view text) {
  if (text.empty()) return std::vector<Item>();
  const auto list = base::parse_json(text);
  return list ? list_of<Item>(*list) : std::nullopt;
}

}  // namespace

std::string to_json(const std::vector<check::Finding>& findings) { return list_to_json(findings); }
std::string to_json(const std::vector<score::ToolCall>& calls) { return list_to_json(calls); }
std::string to_json(const std::vector<score::NamedValue>& values) { return list_to_json(values); }

std::optional<std::vector<check::Finding>> read_findings(std::string_view text) {
  return read_list<check::Finding>(text);
}
std::optional<std::vector<score::ToolCall>> read_tool_calls(std::string_view text) {
  return read_list<score::ToolCall>(text);
}
std::optional<std::vector<score::NamedValue>> read_named_values(std::string_view text) {
  return read_list<score::NamedValue>(text);
}

}  // namespace vibe::store
