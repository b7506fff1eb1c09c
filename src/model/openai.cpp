// Chat completions, as defined by OpenAI and served by OpenRouter and many others.
#include <algorithm>

#include <fmt/format.h>

#include "base/url.h"
#include "model/provider.h"

namespace vibe::model {

namespace {

using base::JsonValue;

// OpenAI's reasoning models refuse `max_tokens`; most other services know only that name.
std::string_view limit_name(std::string_view base_url) {
  const std::string_view host = base::split_url(base_url).host;
  const bool is_openai =
      host.ends_with(".openai.com") || host.ends_with(".openai.azure.com") || host == "openai.com";
  return is_openai ? "max_completion_tokens" : "max_tokens";
}

Encoded encode_chat(const Target& target, const Request& request, bool wants_usage) {
  const Parameters& parameters = request.parameters;
  base::JsonWriter json;
  json.begin_object().key("model").string(target.model);
  json.key("messages").begin_array();
  write_messages(json, request);
  json.end_array();
  write_tools(json, request.tools);
  if (parameters.temperature) json.key("temperature").number(*parameters.temperature);
  if (parameters.top_p) json.key("top_p").number(*parameters.top_p);
  if (parameters.max_output_tokens)
    json.key(limit_name(target.base_url)).integer(*parameters.max_output_tokens);
  if (parameters.seed) json.key("seed").integer(*parameters.seed);
  if (wants_usage) json.key("usage").begin_object().key("include").boolean(true).end_object();
  json.end_object();

  Headers headers;
  if (!target.key.empty()) headers.emplace_back("authorization", "Bearer " + target.key);
  return json_request(target.base_url + "/chat/completions", std::move(headers), json.text(),
                      request);
}

Encoded encode_openai(const Target& target, const Request& request) {
  return encode_chat(target, request, false);
}
Encoded encode_openrouter(const Target& target, const Request& request) {
  return encode_chat(target, request, true);
}

// A part's text; for a `thinking` part, the text of its inner parts.
std::string part_text(const JsonValue& part, std::string_view key) {
  const JsonValue* value = part.find(key);
  if (!value) return {};
  if (value->text()) return *value->text();
  std::string out;
  if (const auto* parts = value->array())
    for (const JsonValue& inner : *parts) out += inner.text_of("text");
  return out;
}

// False if the content is neither text, nor null, nor a list of parts.
bool read_content(const JsonValue& content, Answer& answer, std::string& refusal) {
  if (const auto* text = content.text()) {
    answer.text = *text;
    return true;
  }
  const auto* parts = content.array();
  if (!parts) return content.is_null();
  for (const JsonValue& part : *parts) {
    if (part.text()) answer.text += *part.text();
    answer.text += part_text(part, "text");
    answer.thinking += part_text(part, "thinking");
    refusal += part_text(part, "refusal");
  }
  return true;
}

void read_tool_calls(const JsonValue* calls, Answer& answer) {
  if (!calls || !calls->array()) return;
  for (const JsonValue& call : *calls->array()) {
    const JsonValue* function = call.find("function");
    if (!function) continue;
    answer.tool_calls.push_back({std::string(call.text_of("id")),
                                 std::string(function->text_of("name")),
                                 arguments_text(function->find("arguments"))});
  }
}

Usage read_openai_usage(const JsonValue* usage) {
  Usage out;
  if (!usage) return out;
  const JsonValue* prompt = usage->find("prompt_tokens_details");
  const JsonValue* completion = usage->find("completion_tokens_details");
  out.prompt = count_of(usage, "prompt_tokens");
  out.completion = count_of(usage, "completion_tokens");
  out.thinking = count_of(completion, "reasoning_tokens");
  out.cached = count_of(prompt, "cached_tokens");
  if (!out.cached) out.cached = count_of(usage, "prompt_cache_hit_tokens");  // DeepSeek
  out.cache_write = count_of(prompt, "cache_write_tokens");
  // xAI counts thinking separately from the completion.
  const auto total = count_of(usage, "total_tokens");
  if (total && out.prompt && out.completion && out.thinking && *out.thinking > 0 &&
      *out.prompt <= *total && *total - *out.prompt - *out.completion == *out.thinking)
    out.completion = *out.completion + *out.thinking;
  return out;
}

Cost read_cost(const JsonValue* usage) {
  const JsonValue* stated = usage ? usage->find("cost") : nullptr;
  if (!stated) return {};
  if (stated->object())  // Perplexity
    return {.input = dollars(stated->find("input_tokens_cost")),
            .output = dollars(stated->find("output_tokens_cost")),
            .total = dollars(stated->find("total_cost"))};
  Cost cost{.input = {}, .output = {}, .total = dollars(stated)};
  // If the user brings their own provider key, `cost` is only OpenRouter's fee.
  const JsonValue* own_key = usage->find("is_byok");
  if (cost.total && own_key && own_key->boolean() == true)
    cost.total =
        *cost.total + dollars(usage->pointer("/cost_details/upstream_inference_cost")).value_or(0);
  return cost;
}

Outcome decode_chat(const HttpResponse& response) {
  VIBE_TRY(const auto root, parse_body(response));
  if (auto error = stated_error(root)) return tl::unexpected(*std::move(error));
  const JsonValue* choice = root.pointer("/choices/0");
  if (!choice) return tl::unexpected(malformed("no `/choices/0` in the response", response.body));
  if (auto error = stated_error(*choice)) return tl::unexpected(*std::move(error));
  const JsonValue* message = choice->find("message");
  if (!message || !message->object())
    return tl::unexpected(malformed("no `/choices/0/message` in the response", response.body));

  Answer answer;
  std::string refusal(message->text_of("refusal"));
  const JsonValue* content = message->find("content");
  if (content && !read_content(*content, answer, refusal))
    return tl::unexpected(malformed(
        "`/choices/0/message/content` is neither a string nor a list of parts", response.body));
  if (answer.thinking.empty()) answer.thinking = message->text_of("reasoning_content");
  if (answer.thinking.empty()) answer.thinking = message->text_of("reasoning");
  read_tool_calls(message->find("tool_calls"), answer);
  if (answer.text.empty()) answer.text = refusal;
  if (!content && answer.text.empty() && answer.thinking.empty() && answer.tool_calls.empty())
    return tl::unexpected(
        malformed("no `/choices/0/message/content` in the response", response.body));
  answer.stop_reason = choice->text_of("finish_reason");
  answer.usage = read_openai_usage(root.find("usage"));
  answer.cost = read_cost(root.find("usage"));
  return answer;
}

}  // namespace

const HttpProvider kOpenai{encode_openai, decode_chat};
const HttpProvider kOpenrouter{encode_openrouter, decode_chat};

}  // namespace vibe::model
