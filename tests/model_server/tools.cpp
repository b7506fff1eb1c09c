// Tools in requests: what came back of them, and what a provider would refuse about them.
#include <algorithm>

#include <fmt/format.h>

#include "base/json_value.h"
#include "model_server/answer.h"

namespace model_server {

namespace {

using vibe::base::JsonValue;

const JsonValue::Array& list_of(const JsonValue& object, std::string_view key) {
  static const JsonValue::Array kNone;
  const JsonValue* value = object.find(key);
  return value != nullptr && value->array() ? *value->array() : kNone;
}

// Follows a conversation, message by message.
class Reader {
 public:
  Reader(Dialect dialect, Question& out) : dialect_(dialect), out_(out) {}

  void read(const JsonValue& message) {
    const auto role = message.text_of("role");
    if (dialect_ == Dialect::anthropic)
      read_blocks(message, role);
    else if (role == "tool")
      add_result(message, "tool_call_id", message.find("content"));
    else if (const auto& calls = list_of(message, "tool_calls"); !calls.empty())
      read_calls(message, calls);
    else
      begin(role);
  }

  std::string problem;

 private:
  bool has_ids() const { return dialect_ != Dialect::ollama; }

  void refuse(std::string why) {
    if (problem.empty()) problem = std::move(why);
  }

  void begin(std::string_view role) {
    if (!open_.empty())
      refuse(fmt::format("no result for the call `{}` before the next message", open_.front()));
    open_.clear();
    if (role == "user") {
      out_.results.clear();
      out_.rounds = 0;
    }
  }

  void read_calls(const JsonValue& message, const JsonValue::Array& calls) {
    begin("assistant");
    ++out_.rounds;
    const JsonValue* content = message.find("content");
    if (content != nullptr && content->text() && content->text()->empty() && has_ids())
      refuse("the content beside tool calls is empty: it may be null");
    for (const JsonValue& call : calls) {
      const JsonValue* arguments = call.pointer("/function/arguments");
      if (arguments == nullptr || (has_ids() ? !arguments->text() : !arguments->object()))
        refuse("a tool call has no arguments of the right kind");
      open_.emplace_back(call.text_of("id"));
    }
  }

  void add_result(const JsonValue& from, std::string_view key, const JsonValue* content) {
    const std::string id(has_ids() ? from.text_of(key) : std::string_view());
    const auto call = std::find(open_.begin(), open_.end(), id);
    if (call == open_.end())
      refuse(fmt::format("a result for the call `{}`, which is not there", id));
    else
      open_.erase(call);
    if (!has_ids() && from.text_of("tool_name").empty()) refuse("a result without `tool_name`");
    out_.results.emplace_back(content != nullptr && content->text() ? *content->text() : "");
  }

  void read_blocks(const JsonValue& message, std::string_view role) {
    const auto& blocks = list_of(message, "content");
    bool has_results = false, has_calls = false;
    for (const JsonValue& block : blocks) {
      const auto type = block.text_of("type");
      if (type == "text" && block.text_of("text").empty())
        refuse("messages: text content blocks must be non-empty");
      has_results = has_results || type == "tool_result";
      has_calls = has_calls || type == "tool_use";
    }
    if (!has_results) begin(has_calls ? "assistant" : role);
    if (has_calls) ++out_.rounds;
    for (const JsonValue& block : blocks) {
      const auto type = block.text_of("type");
      if (type == "tool_result") {
        const JsonValue* failed = block.find("is_error");
        add_result(block, "tool_use_id", block.find("content"));
        if (failed != nullptr && failed->boolean() == true && !out_.results.empty())
          out_.results.back().insert(0, "error: ");
      } else if (type == "tool_use") {
        if (block.find("input") == nullptr || !block.find("input")->object())
          refuse("messages: tool_use.input: Input should be a valid dictionary");
        open_.emplace_back(block.text_of("id"));
      }
    }
    if (has_results && !open_.empty())
      refuse(fmt::format("messages: tool_use `{}` without its tool_result", open_.front()));
  }

  const Dialect dialect_;
  Question& out_;
  std::vector<std::string> open_;  // ids of calls without a result
};

}  // namespace

std::string read_tools(const JsonValue& body, Dialect dialect, Question& out) {
  Reader reader(dialect, out);
  for (const JsonValue& message : list_of(body, "messages")) reader.read(message);
  const std::string_view schema =
      dialect == Dialect::anthropic ? "/input_schema" : "/function/parameters";
  const std::string_view name = dialect == Dialect::anthropic ? "/name" : "/function/name";
  for (const JsonValue& tool : list_of(body, "tools")) {
    const JsonValue* parameters = tool.pointer(schema);
    const JsonValue* called = tool.pointer(name);
    if (parameters == nullptr || parameters->find("properties") == nullptr || called == nullptr)
      return "a tool without a name, or whose schema of an object has no properties";
    ++out.tools;
  }
  if (out.rounds > 0 && out.tools == 0) return "tool calls in a request that offers no tools";
  return reader.problem;
}

}  // namespace model_server
