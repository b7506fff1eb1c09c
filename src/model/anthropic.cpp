// Anthropic's messages API.
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "model/provider.h"

namespace vibe::model {

namespace {

using base::JsonValue;

constexpr std::int64_t kMostTokens = 4096;  // the API requires a limit; used if the suite has none
constexpr double kMostTemperature = 1;

struct OtherName {
  std::string_view other, own;
};
constexpr std::array kOtherNames{
    OtherName{"claude-3-haiku", "claude-3-haiku-20240307"},
    OtherName{"claude-3-opus", "claude-3-opus-latest"},
    OtherName{"claude-3-sonnet", "claude-3-sonnet-20240229"},
    OtherName{"claude-3-5-haiku", "claude-3-5-haiku-latest"},
    OtherName{"claude-3.5-haiku", "claude-3-5-haiku-latest"},
    OtherName{"claude-3-5-sonnet", "claude-3-5-sonnet-latest"},
    OtherName{"claude-3.5-sonnet", "claude-3-5-sonnet-latest"},
    OtherName{"claude-3-7-sonnet", "claude-3-7-sonnet-latest"},
    OtherName{"claude-3.7-sonnet", "claude-3-7-sonnet-latest"},
    OtherName{"claude-opus-4", "claude-opus-4-0"},
    OtherName{"claude-sonnet-4", "claude-sonnet-4-0"},
};

void write_assistant(base::JsonWriter& json, const Message& message) {
  json.begin_object().key("role").string("assistant").key("content").begin_array();
  if (!base::trim(message.text).empty())  // Anthropic refuses blank ones
    json.begin_object().key("type").string("text").key("text").string(message.text).end_object();
  for (const ToolCall& call : message.tool_calls) {
    json.begin_object().key("type").string("tool_use").key("id").string(call.id);
    json.key("name").string(call.name).key("input").raw(arguments_object(call)).end_object();
  }
  json.end_array().end_object();
}

void write_result(base::JsonWriter& json, const Message& message) {
  json.begin_object().key("type").string("tool_result");
  json.key("tool_use_id").string(message.call_id);
  if (!message.text.empty()) json.key("content").string(message.text);
  if (message.failed) json.key("is_error").boolean(true);
  json.end_object();
}

// The results of all calls of one answer make one user message.
void write_conversation(base::JsonWriter& json, const std::vector<Message>& messages) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].role == Message::Role::tool) {
      json.begin_object().key("role").string("user").key("content").begin_array();
      write_result(json, messages[i]);
      for (; i + 1 < messages.size() && messages[i + 1].role == Message::Role::tool; ++i)
        write_result(json, messages[i + 1]);
      json.end_array().end_object();
    } else if (!messages[i].tool_calls.empty()) {
      write_assistant(json, messages[i]);
    } else {
      json.begin_object().key("role").string(to_string(messages[i].role));
      json.key("content").string(messages[i].text).end_object();
    }
  }
}

void write_tool_list(base::JsonWriter& json, const std::vector<Tool>& tools) {
  if (tools.empty()) return;
  json.key("tools").begin_array();
  for (const Tool& tool : tools) {
    json.begin_object().key("name").string(tool.name);
    if (!tool.description.empty()) json.key("description").string(tool.description);
    json.key("input_schema").raw(tool.parameters).end_object();
  }
  json.end_array();
}

Encoded encode_anthropic(const Target& target, const Request& request) {
  const Parameters& parameters = request.parameters;
  if (parameters.temperature.value_or(0) > kMostTemperature)
    return tl::unexpected(own_failure(
        Failure::Kind::refused,
        fmt::format(
            "not sent: Anthropic's temperature goes from 0 to {}, and the suite asks for {}",
            kMostTemperature, *parameters.temperature),
        0));
  base::JsonWriter json;
  json.begin_object().key("model").string(target.model);
  json.key("max_tokens").integer(parameters.max_output_tokens.value_or(kMostTokens));
  if (!request.system.empty()) json.key("system").string(request.system);
  json.key("messages").begin_array();
  write_conversation(json, request.messages);
  json.end_array();
  write_tool_list(json, request.tools);
  if (parameters.temperature) json.key("temperature").number(*parameters.temperature);
  if (parameters.top_p) json.key("top_p").number(*parameters.top_p);
  json.end_object();

  // People set the base URL with and without the version.
  const std::string_view version = target.base_url.ends_with("/v1") ? "" : "/v1";
  return json_request(fmt::format("{}{}/messages", target.base_url, version),
                      {{"x-api-key", target.key}, {"anthropic-version", "2023-06-01"}}, json.text(),
                      request);
}

// `input_tokens` excludes tokens read from or written to the cache.
Usage read_anthropic_usage(const JsonValue* usage) {
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

Outcome decode_anthropic(const HttpResponse& response) {
  VIBE_TRY(const auto root, parse_body(response));
  if (auto error = stated_error(root)) return tl::unexpected(*std::move(error));
  const JsonValue* content = root.find("content");
  if (!content || !content->array())
    return tl::unexpected(malformed("no `/content` list in the response", response.body));

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
  answer.stop_reason = root.text_of("stop_reason");
  answer.usage = read_anthropic_usage(root.find("usage"));
  return answer;
}

}  // namespace

const HttpProvider kAnthropic{encode_anthropic, decode_anthropic};

std::string anthropic_name(std::string_view name) {
  for (const auto& [other, own] : kOtherNames)
    if (other == name) return std::string(own);
  std::string out(name);
  if (!name.starts_with("claude-") || name.find_first_of(".:") == name.npos) return out;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  // `claude-opus-4.1` is `claude-opus-4-1`; other marks are OpenRouter's own.
  if (name.find(':') != name.npos || !is_digit(name.back())) return {};
  for (char& c : out)
    if (c == '.') c = '-';
  return out;
}

}  // namespace vibe::model
