// The providers' own words: bodies of answers, errors and lists of models.
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/json.h"
#include "model_server/answer.h"

namespace model_server {

namespace {

using vibe::base::JsonWriter;

constexpr std::string_view kThought = "Let me think about this.";
constexpr std::string_view kBadBytes = "(((bytes)))";  // replaced at the end

// `A op B` somewhere in the text, in words.
std::optional<std::string> arithmetic(std::string_view text) {
  const auto skip_spaces = [&](std::size_t at) {
    while (at < text.size() && text[at] == ' ') ++at;
    return at;
  };
  const auto read = [&](std::size_t& at) -> std::optional<std::int64_t> {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    at = static_cast<std::size_t>(end - text.data());
    return value;
  };
  for (std::size_t start = text.find_first_of("0123456789"); start < text.size();
       start = text.find_first_of("0123456789", start + 1)) {
    std::size_t at = start;
    const auto left = read(at);
    if (!left) continue;
    start = at - 1;
    at = skip_spaces(at);
    if (at >= text.size()) break;
    const char op = text[at];
    at = skip_spaces(at + 1);
    const auto right = read(at);
    constexpr std::int64_t kMost = 1'000'000'000;
    if (!right || *left > kMost || *right > kMost || *right < -kMost) continue;
    const auto say = [&](auto value) {
      return fmt::format("{} {} {} is {}.", *left, op, *right, value);
    };
    if (op == '+') return say(*left + *right);
    if (op == '-') return say(*left - *right);
    if (op == '*' || op == 'x') return say(*left * *right);
    if (op == '/' && *right != 0)
      return say(static_cast<double>(*left) / static_cast<double>(*right));
  }
  return std::nullopt;
}

std::string answer_text(const Question& question) {
  const auto& wanted = question.directives;
  if (wanted.empty || wanted.thinking || !question.directives.calls.empty()) return {};
  std::string out;
  if (wanted.say)
    out = *wanted.say;
  else if (wanted.huge > 0)
    out.assign(wanted.huge, 'a');
  else
    out = arithmetic(question.prompt).value_or(question.prompt);
  for (const auto& result : question.results) out += fmt::format("\n[{}]", result);
  if (wanted.nul) out.insert(out.size() / 2, 1, '\0');
  if (wanted.bad_utf8) out += kBadBytes;
  return out;
}

std::int64_t completion_words(std::string_view text) {
  std::int64_t words = text.empty() ? 0 : 1;
  for (const char c : text) words += c == ' ' ? 1 : 0;
  return words;
}

struct Answer {
  const Question& question;
  const Directives& wanted;
  std::string text, id;
  std::int64_t prompt_tokens, completion_tokens;
  bool usage;
  bool thinks;

  std::string_view stop(std::string_view normal, std::string_view length,
                        std::string_view tool) const {
    if (wanted.stop == "length") return length;
    if (!wanted.stop.empty()) return wanted.stop;
    return wanted.calls.empty() ? normal : tool;
  }
};

void write_openai(JsonWriter& json, const Answer& answer, bool is_openrouter) {
  json.begin_object();
  json.key("id").string((is_openrouter ? "gen-" : "chatcmpl-") + answer.id);
  json.key("object").string("chat.completion");
  json.key("created").integer(1'763'000'000);
  json.key("model").string(answer.question.model);
  if (is_openrouter) json.key("provider").string("Test");
  json.key("choices").begin_array().begin_object().key("index").integer(0);
  json.key("message").begin_object().key("role").string("assistant").key("content");
  if (!answer.wanted.calls.empty())
    json.null();
  else
    json.string(answer.text);
  json.key("refusal").null();
  if (answer.thinks) json.key(is_openrouter ? "reasoning" : "reasoning_content").string(kThought);
  if (!answer.wanted.calls.empty()) {
    json.key("tool_calls").begin_array();
    for (std::size_t i = 0; i < answer.wanted.calls.size(); ++i) {
      const auto& [name, arguments] = answer.wanted.calls[i];
      json.begin_object().key("id").string(fmt::format("call_{}_{}", answer.id, i));
      json.key("type").string("function").key("function").begin_object();
      json.key("name").string(name).key("arguments").string(arguments).end_object().end_object();
    }
    json.end_array();
  }
  json.end_object();
  json.key("finish_reason").string(answer.stop("stop", "length", "tool_calls"));
  json.end_object().end_array();
  if (answer.usage) {
    json.key("usage").begin_object();
    json.key("prompt_tokens").integer(answer.prompt_tokens);
    json.key("completion_tokens").integer(answer.completion_tokens);
    json.key("total_tokens").integer(answer.prompt_tokens + answer.completion_tokens);
    json.key("prompt_tokens_details").begin_object();
    json.key("cached_tokens").integer(answer.wanted.cached).end_object();
    json.key("completion_tokens_details").begin_object();
    json.key("reasoning_tokens").integer(answer.wanted.reasoning).end_object();
    if (is_openrouter || answer.wanted.cost)
      json.key("cost").number(answer.wanted.cost.value_or(0.0001));
    json.end_object();
  }
  json.end_object();
}

void write_anthropic(JsonWriter& json, const Answer& answer) {
  json.begin_object();
  json.key("id").string("msg_" + answer.id).key("type").string("message");
  json.key("role").string("assistant").key("model").string(answer.question.model);
  json.key("content").begin_array();
  if (answer.thinks) {
    json.begin_object().key("type").string("thinking").key("thinking").string(kThought);
    json.key("signature").string("c2lnbmF0dXJl").end_object();
  }
  for (std::size_t i = 0; i < answer.wanted.calls.size(); ++i) {
    const auto& [name, arguments] = answer.wanted.calls[i];
    json.begin_object().key("type").string("tool_use");
    json.key("id").string(fmt::format("toolu_{}_{}", answer.id, i));
    json.key("name").string(name).key("input").raw(arguments).end_object();
  }
  if (!answer.text.empty())
    json.begin_object().key("type").string("text").key("text").string(answer.text).end_object();
  json.end_array();
  json.key("stop_reason").string(answer.stop("end_turn", "max_tokens", "tool_use"));
  json.key("stop_sequence").null();
  if (answer.usage) {  // the three parts of the prompt stand apart here
    const auto cached = answer.wanted.cached, written = answer.wanted.cache_write;
    json.key("usage").begin_object();
    json.key("input_tokens").integer(answer.prompt_tokens - cached - written);
    json.key("cache_creation_input_tokens").integer(written);
    json.key("cache_read_input_tokens").integer(cached);
    json.key("output_tokens").integer(answer.completion_tokens).end_object();
  }
  json.end_object();
}

void write_ollama(JsonWriter& json, const Answer& answer) {
  json.begin_object();
  json.key("model").string(answer.question.model);
  json.key("created_at").string("2026-11-16T01:24:57.123456789Z");
  json.key("message").begin_object().key("role").string("assistant");
  json.key("content").string(answer.text);
  if (answer.thinks) json.key("thinking").string(kThought);
  if (!answer.wanted.calls.empty()) {
    json.key("tool_calls").begin_array();
    for (const auto& [name, arguments] : answer.wanted.calls) {
      json.begin_object().key("function").begin_object().key("name").string(name);
      json.key("arguments").raw(arguments).end_object().end_object();
    }
    json.end_array();
  }
  json.end_object();
  json.key("done").boolean(true);
  json.key("done_reason").string(answer.stop("stop", "length", "stop"));
  json.key("total_duration").integer(5'191'566'416).key("load_duration").integer(2'154'458);
  if (answer.usage) {
    json.key("prompt_eval_count").integer(answer.prompt_tokens);
    json.key("prompt_eval_duration").integer(383'809'000);
    json.key("eval_count").integer(answer.completion_tokens);
    json.key("eval_duration").integer(4'799'921'000);
  }
  json.end_object();
}

void write_echo(JsonWriter& json, const Answer& answer) {
  json.begin_object().key("output").string(answer.text);
  if (answer.usage) {
    json.key("usage").begin_object().key("prompt_tokens").integer(answer.prompt_tokens);
    json.key("completion_tokens").integer(answer.completion_tokens).end_object();
  }
  if (answer.wanted.cost) json.key("cost").number(*answer.wanted.cost);
  json.end_object();
}

struct ErrorRow {
  int status;
  std::string_view openai, anthropic, message;
};
constexpr std::array kErrors{
    ErrorRow{400, "invalid_request_error", "invalid_request_error", "the request is malformed"},
    ErrorRow{401, "invalid_api_key", "authentication_error", "Incorrect API key provided."},
    ErrorRow{402, "insufficient_quota", "billing_error", "Insufficient credits."},
    ErrorRow{403, "permission_denied", "permission_error", "You do not have access to this."},
    ErrorRow{404, "model_not_found", "not_found_error", "The model does not exist."},
    ErrorRow{408, "timeout", "timeout_error", "The request took too long."},
    ErrorRow{413, "request_too_large", "request_too_large", "The request is too large."},
    ErrorRow{429, "rate_limit_exceeded", "rate_limit_error", "Rate limit reached for requests."},
    ErrorRow{503, "server_overloaded", "overloaded_error", "The engine is overloaded."},
    ErrorRow{529, "server_overloaded", "overloaded_error", "Overloaded"},
    ErrorRow{500, "server_error", "api_error", "The server had an error."},  // and all others
};

}  // namespace

std::string answer_body(Dialect dialect, const Question& question, bool usage,
                        std::uint64_t number) {
  const auto& wanted = question.directives;
  auto text = answer_text(question);
  const auto completion = completion_words(text) + wanted.reasoning +
                          (wanted.calls.empty() ? 0 : 5) +
                          (wanted.thinking ? completion_words(kThought) : 0);
  const Answer answer{question,
                      wanted,
                      std::move(text),
                      fmt::format("{:08x}", number),
                      question.words + wanted.cached + wanted.cache_write,
                      completion,
                      usage,
                      wanted.thinking || wanted.reasoning > 0};
  JsonWriter json;
  switch (dialect) {
    case Dialect::openai: write_openai(json, answer, false); break;
    case Dialect::openrouter: write_openai(json, answer, true); break;
    case Dialect::anthropic: write_anthropic(json, answer); break;
    case Dialect::ollama: write_ollama(json, answer); break;
    case Dialect::echo: write_echo(json, answer); break;
    case Dialect::embeddings: return embeddings_body(question, usage);
  }
  std::string out = json.text();
  if (wanted.bad_utf8)
    if (const auto at = out.find(kBadBytes); at != out.npos)
      out.replace(at, kBadBytes.size(), "\xff\xfe\xc3");
  return out;
}

std::string error_body(Dialect dialect, int status, std::string_view message) {
  const ErrorRow* row = &kErrors.back();
  for (const auto& candidate : kErrors)
    if (candidate.status == status) row = &candidate;
  if (message.empty()) message = row->message;
  JsonWriter json;
  json.begin_object();
  switch (dialect) {
    case Dialect::anthropic:
      json.key("type").string("error").key("error").begin_object();
      json.key("type").string(row->anthropic).key("message").string(message).end_object();
      json.key("request_id").string("req_011CSHoEeqs5C35K2UUqR7Fy");
      break;
    case Dialect::openrouter:
      json.key("error").begin_object().key("message").string(message);
      json.key("code").integer(status).end_object();
      break;
    case Dialect::ollama:
    case Dialect::echo: json.key("error").string(message); break;
    case Dialect::embeddings:
    case Dialect::openai:
      json.key("error").begin_object().key("message").string(message);
      json.key("type").string(status == 429 ? "requests" : "invalid_request_error");
      json.key("param").null().key("code").string(row->openai).end_object();
      break;
  }
  json.end_object();
  return json.text();
}

std::string models_body(Dialect dialect) {
  constexpr std::array kNames{"test-large", "test-small"};
  const bool is_ollama = dialect == Dialect::ollama;
  JsonWriter json;
  json.begin_object();
  if (!is_ollama) json.key("object").string("list");
  json.key(is_ollama ? "models" : "data").begin_array();
  for (const auto* name : kNames) {
    json.begin_object().key(is_ollama ? "name" : "id").string(name);
    if (is_ollama)
      json.key("model").string(name).key("size").integer(2'019'393'189);
    else
      json.key("object").string("model").key("owned_by").string("test");
    json.end_object();
  }
  json.end_array().end_object();
  return json.text();
}

}  // namespace model_server
