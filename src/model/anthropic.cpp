// Anthropic's messages.
#include <fmt/format.h>

#include "model/provider.h"

namespace vibe::model {

namespace {

using base::JsonValue;

constexpr std::int64_t kMostTokens = 4096;  // the format wants a limit; where the suite has none
constexpr double kMostTemperature = 1;

Encoded encode(const Target& target, const Request& request) {
  const Parameters& parameters = request.parameters;
  if (parameters.temperature.value_or(0) > kMostTemperature)
    return tl::unexpected(Failure{
        Failure::Kind::refused,
        fmt::format(
            "not sent: Anthropic's temperature goes from 0 to {}, and the suite asks for {}",
            kMostTemperature, *parameters.temperature),
        0});
  base::JsonWriter json;
  json.begin_object().key("model").string(target.model);
  json.key("max_tokens").integer(parameters.max_output_tokens.value_or(kMostTokens));
  if (!request.system.empty()) json.key("system").string(request.system);
  json.key("messages").begin_array();
  write_messages(json, request.messages);
  json.end_array();
  if (parameters.temperature) json.key("temperature").number(*parameters.temperature);
  if (parameters.top_p) json.key("top_p").number(*parameters.top_p);
  json.end_object();

  // People set the base with and without the version.
  const std::string_view version = target.base_url.ends_with("/v1") ? "" : "/v1";
  return json_request(fmt::format("{}{}/messages", target.base_url, version),
                      {{"x-api-key", target.key}, {"anthropic-version", "2023-06-01"}}, json.text(),
                      request);
}

// What is read from the cache or written to it is not part of `input_tokens`.
Usage read_usage(const JsonValue* usage) {
  Usage out;
  out.prompt = count_of(usage, "input_tokens");
  out.completion = count_of(usage, "output_tokens");
  out.cached = count_of(usage, "cache_read_input_tokens");
  out.cache_write = count_of(usage, "cache_creation_input_tokens");
  constexpr std::int64_t kMost = std::int64_t{1} << 60;  // so that no sum overflows
  for (const auto& part : {out.cached, out.cache_write})
    if (out.prompt && part && *out.prompt < kMost && *part < kMost) *out.prompt += *part;
  return out;
}

Outcome decode(const HttpResponse& response) {
  const auto root = parse_body(response);
  if (!root) return tl::unexpected(root.error());
  if (auto error = stated_error(*root)) return tl::unexpected(*std::move(error));
  const JsonValue* content = root->find("content");
  if (!content || !content->array())
    return tl::unexpected(malformed("no list `/content` in the answer", response.body));

  Answer answer;
  for (const JsonValue& block : *content->array()) {
    const std::string_view type = block.text_of("type");
    if (type == "text")
      answer.text += block.text_of("text");
    else if (type == "thinking")
      answer.thinking += block.text_of("thinking");
    else if (type == "tool_use")
      answer.tool_calls.push_back({std::string(block.text_of("id")),
                                   std::string(block.text_of("name")),
                                   arguments_text(block.find("input"))});
  }
  answer.stop_reason = root->text_of("stop_reason");
  answer.usage = read_usage(root->find("usage"));
  return answer;
}

}  // namespace

const HttpProvider kAnthropic{encode, decode};

}  // namespace vibe::model
