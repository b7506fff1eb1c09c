// Ollama's chat API.
#include "model/provider.h"

namespace vibe::model {

namespace {

using base::JsonValue;

// The tool whose call a message answers; empty: unknown.
std::string_view tool_of(const std::vector<Message>& messages, std::string_view call_id) {
  for (const Message& message : messages)
    for (const ToolCall& call : message.tool_calls)
      if (call.id == call_id) return call.name;
  return {};
}

void write_ollama_message(base::JsonWriter& json, const Message& message,
                          const std::vector<Message>& messages) {
  const bool is_tool = message.role == Message::Role::tool;
  json.begin_object().key("role").string(to_string(message.role));
  json.key("content").string(is_tool ? tool_text(message) : message.text);
  if (is_tool) json.key("tool_name").string(tool_of(messages, message.call_id));
  if (!message.tool_calls.empty()) {
    json.key("tool_calls").begin_array();
    for (const ToolCall& call : message.tool_calls) {
      json.begin_object().key("function").begin_object().key("name").string(call.name);
      json.key("arguments").raw(arguments_object(call)).end_object().end_object();
    }
    json.end_array();
  }
  json.end_object();
}

Encoded encode_ollama(const Target& target, const Request& request) {
  const Parameters& parameters = request.parameters;
  base::JsonWriter json;
  json.begin_object().key("model").string(target.model).key("stream").boolean(false);
  json.key("messages").begin_array();
  write_system(json, request);
  for (const Message& message : request.messages)
    write_ollama_message(json, message, request.messages);
  json.end_array();
  write_tools(json, request.tools);
  if (parameters.temperature || parameters.top_p || parameters.seed ||
      parameters.max_output_tokens) {
    json.key("options").begin_object();
    if (parameters.temperature) json.key("temperature").number(*parameters.temperature);
    if (parameters.top_p) json.key("top_p").number(*parameters.top_p);
    if (parameters.seed) json.key("seed").integer(*parameters.seed);
    if (parameters.max_output_tokens)
      json.key("num_predict").integer(*parameters.max_output_tokens);
    json.end_object();
  }
  json.end_object();
  return json_request(target.base_url + "/api/chat", {}, json.text(), request);
}

Outcome decode_ollama(const HttpResponse& response) {
  VIBE_TRY(const auto root, parse_body(response));
  if (auto error = stated_error(root)) return tl::unexpected(*std::move(error));
  const JsonValue* message = root.find("message");
  const JsonValue* content = message ? message->find("content") : nullptr;
  const JsonValue* calls = message ? message->find("tool_calls") : nullptr;
  const bool is_call = calls && calls->at(0);
  if (!is_call && (!content || !content->text()))
    return tl::unexpected(malformed("no `/message/content` string in the response", response.body));

  Answer answer;
  answer.text = message->text_of("content");
  answer.thinking = message->text_of("thinking");
  answer.stop_reason = root.text_of("done_reason");
  if (is_call)
    for (const JsonValue& call : *calls->array())
      if (const JsonValue* function = call.find("function"))
        answer.tool_calls.push_back({std::string(call.text_of("id")),
                                     std::string(function->text_of("name")),
                                     arguments_text(function->find("arguments"))});
  answer.usage.prompt = count_of(&root, "prompt_eval_count");
  answer.usage.completion = count_of(&root, "eval_count");
  return answer;
}

}  // namespace

const HttpProvider kOllama{encode_ollama, decode_ollama};

}  // namespace vibe::model
