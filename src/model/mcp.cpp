#include "model/mcp.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "model/provider.h"

namespace vibe::model::mcp {

namespace {

using base::JsonValue;

// Versions with the same messages for tools.
constexpr std::array<std::string_view, 4> kVersions{"2025-11-25", kVersion, "2025-03-26",
                                                    "2024-11-05"};
constexpr std::size_t kLongestName = 64;  // longest that the providers' APIs accept

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-';
         });
}

std::string shown(std::string_view text) {
  return base::shorten(base::printable(text.substr(0, 400)), 80);
}

// OpenAI refuses an object without `properties`; a tool without arguments may omit them.
tl::expected<std::string, std::string> read_schema(const JsonValue& tool, std::string_view name) {
  const JsonValue* schema = tool.find("inputSchema");
  const JsonValue* type = schema ? schema->find("type") : nullptr;
  if (!schema || !schema->object() || !type || !type->text() || *type->text() != "object")
    return tl::unexpected(
        fmt::format("the `inputSchema` of its tool `{}` is not an object schema", name));
  if (const JsonValue* properties = schema->find("properties")) {
    if (properties->object()) return base::to_text(*schema);
    return tl::unexpected(fmt::format(
        "the `inputSchema` of its tool `{}` has `properties` that are not an object", name));
  }
  JsonValue::Object members = *schema->object();
  members.emplace_back("properties", JsonValue(JsonValue::Object()));
  return base::to_text(JsonValue(std::move(members)));
}

// The decoded size of base64 text.
std::size_t decoded_size(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  return text.size() * 3 / 4;
}

std::string described(std::string_view kind, const JsonValue& part, std::string_view bytes) {
  const std::string type = shown(part.text_of("mimeType"));
  return fmt::format("[{}: {}, {} bytes]", kind, type.empty() ? "unknown type" : type,
                     decoded_size(bytes));
}

std::string resource_text(const JsonValue& resource) {
  const std::string address = shown(resource.text_of("uri"));
  if (const JsonValue* text = resource.find("text"); text && text->text())
    return fmt::format("[resource: {}]\n{}", address, *text->text());
  return described("resource: " + address, resource, resource.text_of("blob"));
}

std::string part_text(const JsonValue& part) {
  const std::string_view type = part.text_of("type");
  if (type == "text") return std::string(part.text_of("text"));
  if (type == "image" || type == "audio") return described(type, part, part.text_of("data"));
  if (type == "resource_link") return fmt::format("[resource: {}]", shown(part.text_of("uri")));
  if (const JsonValue* resource = part.find("resource"); type == "resource" && resource)
    return resource_text(*resource);
  return fmt::format("[{}]", type.empty() ? "unknown content" : shown(type));
}

}  // namespace

std::string greeting() {
  base::JsonWriter json;
  json.begin_object().key("protocolVersion").string(kVersion);
  json.key("capabilities").begin_object().end_object();
  json.key("clientInfo").begin_object().key("name").string("vibecheck");
  return json.key("version").string("1").end_object().end_object().text();
}

tl::expected<std::string, std::string> read_greeting(const JsonValue& result) {
  std::string version(result.text_of("protocolVersion"));
  if (version.empty()) return tl::unexpected(std::string("it does not state a `protocolVersion`"));
  if (std::find(kVersions.begin(), kVersions.end(), version) == kVersions.end())
    return tl::unexpected(
        fmt::format("it uses protocol version `{}`, which vibe does not know", shown(version)));
  if (!result.pointer("/capabilities/tools")) return tl::unexpected(std::string("it has no tools"));
  return version;
}

tl::expected<Page, std::string> read_tools(const JsonValue& result) {
  const JsonValue* list = result.find("tools");
  if (!list || !list->array()) return tl::unexpected(std::string("its tool list is not a list"));
  Page out;
  for (const JsonValue& entry : *list->array()) {
    Tool tool;
    tool.name = entry.text_of("name");
    if (!is_name(tool.name))
      return tl::unexpected(fmt::format(
          "its tool `{}` has an invalid name: models accept 1 to {} letters, digits, `_` and `-`",
          shown(tool.name), kLongestName));
    tool.description = entry.text_of("description");
    if (tool.description.empty()) tool.description = entry.text_of("title");
    VIBE_TRY(auto schema, read_schema(entry, tool.name));
    tool.parameters = std::move(schema);
    out.tools.push_back(std::move(tool));
  }
  out.next = result.text_of("nextCursor");
  return out;
}

tl::expected<ToolResult, std::string> read_result(const JsonValue& result) {
  const JsonValue* content = result.find("content");
  const JsonValue* structured = result.find("structuredContent");
  const bool has_structure = structured && !structured->is_null();
  if ((!content || !content->array()) && !has_structure)
    return tl::unexpected(std::string("the tool's result has no `content` list"));
  ToolResult out;
  if (content && content->array()) {
    for (const JsonValue& part : *content->array()) {
      if (&part != &content->array()->front()) out.text += '\n';
      out.text += part_text(part);
    }
  }
  // A server usually repeats the structure as text, for clients that cannot read structure.
  if (out.text.empty() && has_structure) out.text = base::to_text(*structured);
  const JsonValue* failed = result.find("isError");
  out.failed = failed && failed->boolean() == true;
  return out;
}

tl::expected<std::string, std::string> call_params(std::string_view name,
                                                   std::string_view arguments) {
  const std::string_view given = base::trim(arguments);
  const auto value = base::parse_json(given.empty() ? "{}" : given);
  if (!value) return tl::unexpected(fmt::format("the arguments are not JSON: {}", value.error()));
  if (!value->object()) return tl::unexpected(std::string("the arguments are not a JSON object"));
  base::JsonWriter json;
  json.begin_object().key("name").string(name);
  return json.key("arguments").raw(base::to_text(*value)).end_object().text();
}

}  // namespace vibe::model::mcp
