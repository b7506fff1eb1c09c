#include "model/json_rpc.h"

#include <utility>

#include "base/json.h"

namespace vibe::model::rpc {

namespace {

constexpr std::int64_t kMethodNotFound = -32601;

base::JsonWriter begin() {
  base::JsonWriter json;
  json.begin_object().key("jsonrpc").string("2.0");
  return json;
}

std::string with_method(base::JsonWriter json, std::string_view method, std::string_view params) {
  json.key("method").string(method);
  if (!params.empty()) json.key("params").raw(params);
  return json.end_object().text();
}

}  // namespace

std::string request(std::int64_t id, std::string_view method, std::string_view params) {
  base::JsonWriter json = begin();
  json.key("id").integer(id);
  return with_method(std::move(json), method, params);
}

std::string notification(std::string_view method, std::string_view params) {
  return with_method(begin(), method, params);
}

std::string answer(const Asked& asked) {
  base::JsonWriter json = begin();
  json.key("id").raw(asked.id);
  if (asked.method == "ping") {
    json.key("result").begin_object().end_object();
  } else {
    json.key("error").begin_object().key("code").integer(kMethodNotFound);
    json.key("message").string("this client has no such method").end_object();
  }
  return json.end_object().text();
}

ReplyReader::ReplyReader(std::int64_t id, std::function<void(const Asked&)> on_asked)
    : id_(id), on_asked_(std::move(on_asked)), events_([this](const Event& event) {
        if (!reply_ && event.type == "message") read(event.data);
      }) {}

void ReplyReader::read(std::string_view document) {
  const auto value = base::parse_json(document);
  if (!value) {
    if (problem_.empty()) problem_ = value.error();
    return;
  }
  if (!value->array()) {
    read_message(*value);
    return;
  }
  for (const base::JsonValue& message : *value->array()) read_message(message);
}

void ReplyReader::read_message(const base::JsonValue& message) {
  if (!message.object()) {
    if (problem_.empty()) problem_ = "it is not a JSON object";
    return;
  }
  const base::JsonValue* id = message.find("id");
  const base::JsonValue* result = message.find("result");
  const base::JsonValue* error = message.find("error");
  if (const std::string_view method = message.text_of("method"); !method.empty()) {
    const bool wants_answer = id && (id->text() || id->number());
    if (wants_answer && on_asked_) on_asked_({base::to_text(*id), std::string(method)});
    return;  // without an id it is a notification
  }
  // An error without an id is about a request that the server could not read: ours.
  const bool is_ours = id && !id->is_null() ? id->integer() == id_ : error != nullptr;
  if (!is_ours || reply_) return;
  if (error && !error->is_null()) {
    Error said{error->integer_of("code").value_or(0), std::string(error->text_of("message"))};
    if (said.message.empty()) said.message = base::to_text(*error);
    reply_ = Reply{{}, std::move(said)};
  } else if (result) {
    reply_ = Reply{*result, {}};
  } else if (problem_.empty()) {
    problem_ = "it has neither `result` nor `error`";
  }
}

}  // namespace vibe::model::rpc
