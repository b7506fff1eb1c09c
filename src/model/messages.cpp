// A conversation and the offered tools in OpenAI's format, which many other services read.
#include "base/text.h"
#include "model/provider.h"

namespace vibe::model {

namespace {

void write_openai_calls(base::JsonWriter& json, const std::vector<ToolCall>& calls) {
  json.key("tool_calls").begin_array();
  for (const ToolCall& call : calls) {
    json.begin_object().key("id").string(call.id).key("type").string("function");
    json.key("function").begin_object().key("name").string(call.name);
    json.key("arguments").string(call.arguments).end_object().end_object();
  }
  json.end_array();
}

}  // namespace

std::string tool_text(const Message& message) {
  return message.failed ? "error: " + message.text : message.text;
}

std::string arguments_object(const ToolCall& call) {
  const auto value = base::parse_json(call.arguments);
  return value && value->object() ? base::to_text(*value) : "{}";
}

void write_messages(base::JsonWriter& json, const std::vector<Message>& messages) {
  for (const Message& message : messages) {
    const bool is_tool = message.role == Message::Role::tool;
    json.begin_object().key("role").string(to_string(message.role));
    if (is_tool) json.key("tool_call_id").string(message.call_id);
    json.key("content");
    if (message.text.empty() && !message.tool_calls.empty())
      json.null();
    else
      json.string(is_tool ? tool_text(message) : message.text);
    if (!message.tool_calls.empty()) write_openai_calls(json, message.tool_calls);
    json.end_object();
  }
}

void write_system(base::JsonWriter& json, const Request& request) {
  if (request.system.empty()) return;
  json.begin_object().key("role").string("system");
  json.key("content").string(request.system).end_object();
}

void write_messages(base::JsonWriter& json, const Request& request) {
  write_system(json, request);
  write_messages(json, request.messages);
}

void write_tools(base::JsonWriter& json, const std::vector<Tool>& tools) {
  if (tools.empty()) return;
  json.key("tools").begin_array();
  for (const Tool& tool : tools) {
    json.begin_object().key("type").string("function").key("function").begin_object();
    json.key("name").string(tool.name);
    if (!tool.description.empty()) json.key("description").string(tool.description);
    json.key("parameters").raw(tool.parameters).end_object().end_object();
  }
  json.end_array();
}

}  // namespace vibe::model
