#include "model_server/answer.h"

#include <array>
#include <ctime>

#include <fmt/format.h>

#include "base/json_value.h"

namespace model_server {

namespace {

using vibe::base::JsonValue;

struct Route {
  std::string_view method, path;
  Dialect dialect;
  bool is_list;
};
constexpr std::array kRoutes{
    Route{"POST", "/v1/chat/completions", Dialect::openai, false},
    Route{"POST", "/api/v1/chat/completions", Dialect::openrouter, false},
    Route{"POST", "/v1/messages", Dialect::anthropic, false},
    Route{"POST", "/api/chat", Dialect::ollama, false},
    Route{"POST", "/echo", Dialect::echo, false},
    Route{"POST", "/v1/embeddings", Dialect::embeddings, false},
    Route{"POST", "/api/v1/embeddings", Dialect::embeddings, false},
    Route{"GET", "/v1/models", Dialect::openai, true},
    Route{"GET", "/api/v1/models", Dialect::openrouter, true},
    Route{"GET", "/api/tags", Dialect::ollama, true},
};

// A string, or the texts of a list of blocks.
std::string text_of(const JsonValue* value) {
  if (value == nullptr) return {};
  if (const auto* text = value->text()) return *text;
  std::string out;
  if (const auto* blocks = value->array())
    for (const auto& block : *blocks) out += block.text_of("text");
  return out;
}

std::int64_t words_in(std::string_view text) {
  std::int64_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    words += !space && !inside ? 1 : 0;
    inside = !space;
  }
  return words;
}

void read_question(const JsonValue& body, Question& out) {
  out.model = body.text_of("model");
  out.words = words_in(text_of(body.find("system")));
  if (const auto* messages = body.find("messages"); messages != nullptr && messages->array()) {
    for (const auto& message : *messages->array()) {
      auto text = text_of(message.find("content"));
      out.words += words_in(text);
      // Anthropic's results of tools are messages of the user without a text.
      if (message.text_of("role") == "user" && (!text.empty() || out.prompt.empty()))
        out.prompt = std::move(text);
    }
    return;
  }
  for (const auto* key :
       {"prompt", "input", "message", "question"}) {  // of `/echo`, and embeddings
    if (body.find(key) == nullptr) continue;
    out.prompt = text_of(body.find(key));
    out.words += words_in(out.prompt);
    return;
  }
}

std::string http_date(std::time_t time) {
  std::tm parts{};
  std::array<char, 64> text{};
  gmtime_r(&time, &parts);
  const auto size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text.data(), size};
}

constexpr std::string_view kPage =
    "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>"
    "<body><h1>Bad Gateway</h1></body></html>\n";

}  // namespace

std::string_view Request::header(std::string_view name) const {
  std::string_view rest = head;
  while (!rest.empty()) {
    const auto end = std::min(rest.find("\r\n"), rest.size());
    const auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 2, rest.size()));
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    bool same = true;
    for (std::size_t i = 0; i < name.size() && same; ++i) {
      const char c = line[i];
      same = (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == name[i];
    }
    if (!same) continue;
    auto value = line.substr(name.size() + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    return value;
  }
  return {};
}

bool Answers::is_allowed(const Request& request, Dialect dialect) const {
  if (options_.required_key.empty() || dialect == Dialect::ollama) return true;
  if (dialect == Dialect::anthropic) return request.header("x-api-key") == options_.required_key;
  return request.header("authorization") == "Bearer " + options_.required_key;
}

void Answers::fail(Reply& reply, Dialect dialect, const Failing& failing) const {
  reply.status = failing.status;
  reply.body = error_body(dialect, failing.status, "");
  const auto now = std::time(nullptr);
  reply.headers += "date: " + http_date(now) + "\r\n";
  if (!failing.retry_after.empty()) reply.headers += "retry-after: " + failing.retry_after + "\r\n";
  if (!failing.retry_after_ms.empty())
    reply.headers += "retry-after-ms: " + failing.retry_after_ms + "\r\n";
  if (failing.retry_date >= 0)
    reply.headers += "retry-after: " + http_date(now + failing.retry_date) + "\r\n";
  if (failing.status != 429) return;
  reply.headers += dialect == Dialect::anthropic ? "anthropic-ratelimit-requests-limit: 50\r\n"
                                                   "anthropic-ratelimit-requests-remaining: 12\r\n"
                                                 : "x-ratelimit-limit-requests: 500\r\n"
                                                   "x-ratelimit-remaining-requests: 12\r\n"
                                                   "x-ratelimit-reset-requests: 120ms\r\n";
}

Reply Answers::converse(const Request& request, Dialect dialect) {
  Reply reply;
  reply.latency = options_.latency;
  const auto refuse = [&](int status, std::string_view message) {
    reply.status = status;
    reply.body = error_body(dialect, status, message);
  };
  if (!is_allowed(request, dialect)) {
    refuse(401, "");
    return reply;
  }
  Question question;
  if (const auto body = vibe::base::parse_json(request.body)) {
    read_question(*body, question);
    const auto* stream = body->find("stream");
    const bool streams =
        stream != nullptr ? stream->boolean().value_or(false) : dialect == Dialect::ollama;
    if (streams) {
      refuse(400, "this server does not stream: say `\"stream\": false`");
      return reply;
    }
    if (const auto problem = read_tools(*body, dialect, question); !problem.empty()) {
      refuse(400, problem);
      return reply;
    }
  } else if (dialect == Dialect::echo) {
    question.prompt = request.body;
    question.words = words_in(request.body);
  } else {
    refuse(400, "the body is not JSON: " + body.error());
    return reply;
  }
  if (dialect == Dialect::embeddings && question.prompt.empty()) {
    refuse(400, "Invalid 'input': input cannot be an empty string.");
    return reply;
  }
  auto& wanted = question.directives;
  wanted = read_directives(question.prompt);
  if (question.rounds >= wanted.rounds || (question.tools == 0 && !wanted.tool))
    wanted.calls.clear();
  if (wanted.latency) reply.latency = *wanted.latency;
  int seen = 0;
  if (wanted.counts) seen = seen_[fmt::format("{} {}", request.path, question.prompt)]++;
  if (wanted.fail.status != 0 && (wanted.fail.times < 0 || seen < wanted.fail.times)) {
    fail(reply, dialect, wanted.fail);
    return reply;
  }
  reply.drip = wanted.drip;
  reply.body = answer_body(dialect, question, options_.usage && !wanted.no_usage, ++count_);
  if (!wanted.type.empty()) {
    reply.type = wanted.type;
    reply.body = kPage;
  }
  if (wanted.reset_times < 0 || seen < wanted.reset_times) reply.ending = Reply::Ending::reset;
  if (wanted.truncate == Directives::Truncate::connection) reply.ending = Reply::Ending::closed;
  if (wanted.truncate == Directives::Truncate::json) reply.body.resize(reply.body.size() / 2);
  return reply;
}

Reply Answers::answer(const Request& request) {
  bool path_known = false;
  for (const auto& route : kRoutes) {
    if (route.path != request.path) continue;
    path_known = true;
    if (route.method != request.method) continue;
    if (!route.is_list) return converse(request, route.dialect);
    Reply reply;
    const bool allowed = is_allowed(request, route.dialect);
    reply.status = allowed ? 200 : 401;
    reply.body = allowed ? models_body(route.dialect) : error_body(route.dialect, 401, "");
    return reply;
  }
  Reply reply;
  reply.status = path_known ? 405 : 404;
  reply.body = error_body(Dialect::openai, reply.status,
                          fmt::format("no {} {} here", request.method, request.path));
  return reply;
}

}  // namespace model_server
