// Ollama's chat.
#include "model/provider.h"

namespace vibe::model {

namespace {

using base::JsonValue;

Encoded encode(const Target& target, const Request& request) {
  const Parameters& parameters = request.parameters;
  base::JsonWriter json;
  json.begin_object().key("model").string(target.model).key("stream").boolean(false);
  json.key("messages").begin_array();
  write_messages(json, request);
  json.end_array();
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

Outcome decode(const HttpResponse& response) {
  const auto root = parse_body(response);
  if (!root) return tl::unexpected(root.error());
  if (auto error = stated_error(*root)) return tl::unexpected(*std::move(error));
  const JsonValue* message = root->find("message");
  const JsonValue* content = message ? message->find("content") : nullptr;
  if (!content || !content->text())
    return tl::unexpected(malformed("no text `/message/content` in the answer", response.body));

  Answer answer;
  answer.text = *content->text();
  answer.thinking = message->text_of("thinking");
  answer.stop_reason = root->text_of("done_reason");
  if (const JsonValue* calls = message->find("tool_calls"); calls && calls->array())
    for (const JsonValue& call : *calls->array())
      if (const JsonValue* function = call.find("function"))
        answer.tool_calls.push_back({std::string(call.text_of("id")),
                                     std::string(function->text_of("name")),
                                     arguments_text(function->find("arguments"))});
  answer.usage.prompt = count_of(&*root, "prompt_eval_count");
  answer.usage.completion = count_of(&*root, "eval_count");
  return answer;
}

}  // namespace

const HttpProvider kOllama{encode, decode};

}  // namespace vibe::model
