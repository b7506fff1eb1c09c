#include "model/outcome_json.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "model/provider.h"

namespace vibe::model {

namespace {

using base::JsonValue;
using base::JsonWriter;

constexpr int kMostTriesRead = 1'000'000;

constexpr std::array kKinds{Failure::Kind::cancelled,   Failure::Kind::timed_out,
                            Failure::Kind::unreachable, Failure::Kind::refused,
                            Failure::Kind::malformed,   Failure::Kind::missing};

void write_count(JsonWriter& json, std::string_view key, const std::optional<std::int64_t>& count) {
  if (count) json.key(key).integer(*count);
}

void write_amount(JsonWriter& json, std::string_view key, const std::optional<double>& amount) {
  if (amount) json.key(key).number(*amount);
}

constexpr std::array kRoles{Message::Role::user, Message::Role::assistant, Message::Role::tool};

void write_calls(JsonWriter& json, const std::vector<ToolCall>& calls) {
  if (calls.empty()) return;
  json.key("tool_calls").begin_array();
  for (const ToolCall& call : calls) {
    write_text(json.begin_object().key("id"), call.id);
    write_text(json.key("name"), call.name);
    write_text(json.key("arguments"), call.arguments);
    if (call.result) write_text(json.key("result"), *call.result);
    if (call.failed) json.key("failed").boolean(true);
    json.end_object();
  }
  json.end_array();
}

void write_answer(JsonWriter& json, const Answer& answer) {
  write_text(json.begin_object().key("text"), answer.text);
  if (!answer.thinking.empty()) write_text(json.key("thinking"), answer.thinking);
  if (!answer.stop_reason.empty()) write_text(json.key("stop_reason"), answer.stop_reason);
  write_calls(json, answer.tool_calls);
  if (!answer.steps.empty()) {
    json.key("steps").begin_array();
    for (const Message& step : answer.steps) write_message(json, step);
    json.end_array();
  }
  json.key("usage").begin_object();
  write_count(json, "prompt", answer.usage.prompt);
  write_count(json, "completion", answer.usage.completion);
  write_count(json, "thinking", answer.usage.thinking);
  write_count(json, "cached", answer.usage.cached);
  write_count(json, "cache_write", answer.usage.cache_write);
  json.end_object().key("cost").begin_object();
  write_amount(json, "input", answer.cost.input);
  write_amount(json, "output", answer.cost.output);
  write_amount(json, "total", answer.cost.total);
  json.end_object();
  json.key("latency").number(answer.latency).key("tries").integer(answer.tries);
  write_amount(json, "fitness", answer.fitness);
  if (!answer.fitness_error.empty()) write_text(json.key("fitness_error"), answer.fitness_error);
  json.end_object();
}

// The bytes of `{"latin1": "…"}`; none if a character does not fit in a byte.
std::optional<std::string> bytes_of(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto point = base::decode(text, at);
    if (!point.valid || point.value > 0xff) return std::nullopt;
    out += static_cast<char>(static_cast<unsigned char>(point.value));
    at += point.length;
  }
  return out;
}

std::optional<std::string> text_of(const JsonValue& value) {
  if (value.text()) return *value.text();
  const auto* members = value.object();
  if (!members || members->size() != 1 || (*members)[0].first != "latin1") return std::nullopt;
  const std::string* latin1 = (*members)[0].second.text();
  return latin1 ? bytes_of(*latin1) : std::nullopt;
}

}  // namespace

void write_text(JsonWriter& json, std::string_view text) {
  if (!base::first_invalid(text)) {
    json.string(text);
    return;
  }
  std::string latin1;
  for (const char c : text) base::append_utf8(latin1, static_cast<unsigned char>(c));
  json.begin_object().key("latin1").string(latin1).end_object();
}

void write_message(JsonWriter& json, const Message& message) {
  json.begin_object().key("role").string(to_string(message.role));
  if (message.role == Message::Role::tool) write_text(json.key("call_id"), message.call_id);
  write_text(json.key("content"), message.text);
  write_calls(json, message.tool_calls);
  if (message.failed) json.key("failed").boolean(true);
  json.end_object();
}

void write_outcome(JsonWriter& json, const Outcome& outcome) {
  if (outcome) {
    write_answer(json.key("answer"), *outcome);
    return;
  }
  const Failure& failure = outcome.error();
  json.key("failure").begin_object().key("kind").string(to_string(failure.kind));
  write_text(json.key("message"), failure.message);
  json.key("tries").integer(failure.tries);
  if (failure.cost != 0.0) {
    json.key("cost");
    failure.cost ? json.number(*failure.cost) : json.null();
  }
  json.end_object();
}

void FieldReader::fail(std::string_view key, std::string message, std::string hint) {
  if (!problem_) problem_ = {std::string(key), std::move(message), std::move(hint)};
}

const JsonValue* FieldReader::member(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  return value && !value->is_null() ? value : nullptr;
}

bool FieldReader::object(const JsonValue& value, std::string_view what,
                         std::initializer_list<std::string_view> keys) {
  if (!value.object()) {
    fail({}, fmt::format("{} is not a JSON object", what));
    return false;
  }
  std::vector<std::string_view> seen;
  for (const auto& [key, member] : *value.object()) {
    const auto shown = base::shorten(base::printable(key), 60);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      const auto near = base::nearest(key, {keys.begin(), keys.size()});
      std::string hint = base::did_you_mean(near);
      if (hint.empty()) hint = fmt::format("it may have `{}`", fmt::join(keys, "`, `"));
      fail(key, fmt::format("{} has an unknown key `{}`", what, shown), std::move(hint));
      return false;
    }
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      fail(key, fmt::format("{} has the key `{}` twice", what, shown));
      return false;
    }
    seen.push_back(key);
  }
  return true;
}

void FieldReader::text(const JsonValue& object, std::string_view key, std::string& out) {
  const JsonValue* value = member(object, key);
  if (!value) return;
  if (auto text = text_of(*value))
    out = *std::move(text);
  else
    fail(key, fmt::format("`{}` is not text", key),
         R"(text is a string, or `{"latin1": "…"}` if it is not UTF-8)");
}

void FieldReader::count(const JsonValue& object, std::string_view key,
                        std::optional<std::int64_t>& out) {
  const JsonValue* value = member(object, key);
  if (!value) return;
  const auto count = value->integer();
  constexpr std::int64_t kMost = 1'000'000'000'000;
  if (count && *count >= 0 && *count <= kMost)
    out = count;
  else
    fail(key, fmt::format("`{}` is not a whole number from 0 to 10^12", key));
}

void FieldReader::amount(const JsonValue& object, std::string_view key,
                         std::optional<double>& out) {
  const JsonValue* value = member(object, key);
  if (!value) return;
  const auto amount = value->number();
  if (amount && *amount >= 0)
    out = amount;
  else
    fail(key, fmt::format("`{}` must be a number, 0 or more", key));
}

void FieldReader::tries(const JsonValue& object, int& out) {
  std::optional<std::int64_t> tries;
  count(object, "tries", tries);
  if (tries) out = static_cast<int>(std::min<std::int64_t>(*tries, kMostTriesRead));
}

void FieldReader::flag(const JsonValue& object, std::string_view key, bool& out) {
  const JsonValue* value = member(object, key);
  if (!value) return;
  if (const auto flag = value->boolean())
    out = *flag;
  else
    fail(key, fmt::format("`{}` is neither true nor false", key));
}

const JsonValue::Array& FieldReader::list(const JsonValue& object, std::string_view key) {
  static const JsonValue::Array kNone;
  const JsonValue* value = member(object, key);
  if (!value) return kNone;
  if (value->array()) return *value->array();
  fail(key, fmt::format("`{}` is not a list", key));
  return kNone;
}

ToolCall FieldReader::call(const JsonValue& value) {
  ToolCall out;
  if (!object(value, "a tool call", {"id", "name", "arguments", "result", "failed"})) return out;
  text(value, "id", out.id);
  text(value, "name", out.name);
  const JsonValue* arguments = member(value, "arguments");
  if (arguments && arguments->object() && !text_of(*arguments))
    out.arguments = base::to_text(*arguments);  // as people write it
  else
    text(value, "arguments", out.arguments);
  if (member(value, "result")) text(value, "result", out.result.emplace());
  flag(value, "failed", out.failed);
  return out;
}

Message FieldReader::message(const JsonValue& value) {
  Message out;
  if (!object(value, "a message", {"role", "content", "tool_calls", "call_id", "failed"}))
    return out;
  std::string name;
  text(value, "role", name);
  const auto* const role = std::find_if(kRoles.begin(), kRoles.end(), [&](Message::Role candidate) {
    return to_string(candidate) == name;
  });
  if (role == kRoles.end()) {
    fail("role", "`role` must be `user`, `assistant` or `tool`",
         name == "system" ? "put the system prompt under the key `system`" : "");
    return out;
  }
  out.role = *role;
  for (const JsonValue& each : list(value, "tool_calls")) out.tool_calls.push_back(call(each));
  if (!out.tool_calls.empty() && out.role != Message::Role::assistant)
    fail("tool_calls", "only the assistant calls tools");
  if (!value.find("content") && out.tool_calls.empty()) fail("role", "a message has no `content`");
  text(value, "content", out.text);
  text(value, "call_id", out.call_id);
  flag(value, "failed", out.failed);
  return out;
}

Answer FieldReader::answer(const JsonValue& value) {
  Answer out;
  if (value.text()) {  // as people write it
    out.text = *value.text();
    return out;
  }
  if (!object(value, "`answer`",
              {"text", "thinking", "stop_reason", "tool_calls", "steps", "usage", "cost", "latency",
               "tries", "fitness", "fitness_error"}))
    return out;
  text(value, "text", out.text);
  text(value, "thinking", out.thinking);
  text(value, "stop_reason", out.stop_reason);
  for (const JsonValue& each : list(value, "tool_calls")) out.tool_calls.push_back(call(each));
  for (const JsonValue& each : list(value, "steps")) out.steps.push_back(message(each));
  if (const JsonValue* usage = member(value, "usage");
      usage &&
      object(*usage, "`usage`", {"prompt", "completion", "thinking", "cached", "cache_write"})) {
    count(*usage, "prompt", out.usage.prompt);
    count(*usage, "completion", out.usage.completion);
    count(*usage, "thinking", out.usage.thinking);
    count(*usage, "cached", out.usage.cached);
    count(*usage, "cache_write", out.usage.cache_write);
  }
  if (const JsonValue* cost = member(value, "cost"); cost && cost->number()) {
    amount(value, "cost", out.cost.total);  // as people write it
  } else if (cost && object(*cost, "`cost`", {"input", "output", "total"})) {
    amount(*cost, "input", out.cost.input);
    amount(*cost, "output", out.cost.output);
    amount(*cost, "total", out.cost.total);
  }
  std::optional<double> latency;
  amount(value, "latency", latency);
  out.latency = latency.value_or(0);
  tries(value, out.tries);
  amount(value, "fitness", out.fitness);
  if (out.fitness && *out.fitness > 100) fail("fitness", "`fitness` is more than 100");
  text(value, "fitness_error", out.fitness_error);
  return out;
}

Failure FieldReader::failure(const JsonValue& value) {
  Failure out;
  if (!object(value, "`failure`", {"kind", "message", "tries", "cost"})) return out;
  if (const JsonValue* cost = value.find("cost"); cost && cost->is_null())
    out.cost.reset();
  else
    amount(value, "cost", out.cost);
  std::string kind(to_string(out.kind));
  text(value, "kind", kind);
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](Failure::Kind row) { return to_string(row) == kind; });
  if (found == kKinds.end()) {
    std::string names;
    for (const Failure::Kind row : kKinds)
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", to_string(row));
    fail("kind",
         fmt::format("`{}` is not a kind of failure", base::shorten(base::printable(kind), 60)),
         "one of " + names);
    return out;
  }
  out.kind = *found;
  text(value, "message", out.message);
  tries(value, out.tries);
  return out;
}

Outcome FieldReader::outcome(const JsonValue& value) {
  const JsonValue* answered = member(value, "answer");
  const JsonValue* failed = member(value, "failure");
  if (answered && failed)
    fail("failure", "it has both `answer` and `failure`");
  else if (answered)
    return answer(*answered);
  else if (failed)
    return tl::unexpected(failure(*failed));
  else
    fail({}, "it has neither `answer` nor `failure`", R"(write `"answer": "…"`)");
  return Answer();
}

}  // namespace vibe::model
