#include "store/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "base/json.h"
#include "base/json_value.h"

namespace vibe::store {

using base::JsonValue;
using base::JsonWriter;

namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 3> kVerdicts{"pass", "fail", "error"};

void write(JsonWriter& json, const check::Finding& finding);
void write(JsonWriter& json, const score::ToolCall& call);
void write(JsonWriter& json, const score::Turn& turn);
void write(JsonWriter& json, const score::NamedValue& value);
void write(JsonWriter& json, const std::string& text) { json.string(text); }
void write(JsonWriter& json, double number) { json.number(number); }

template <class Item>
void write_list(JsonWriter& json, const std::vector<Item>& items) {
  json.begin_array();
  for (const Item& item : items) write(json, item);
  json.end_array();
}

void write_count(JsonWriter& json, std::string_view key, const std::optional<std::int64_t>& value) {
  if (value) json.key(key).integer(*value);
}

void amount(JsonWriter& json, std::string_view key, const std::optional<double>& value) {
  if (value) json.key(key).number(*value);
}

void write(JsonWriter& json, const check::Finding& finding) {
  json.begin_object().key("type").string(finding.type);
  json.key("verdict").string(kVerdicts[static_cast<std::size_t>(finding.verdict)]);
  json.key("message").string(finding.message);
  if (!finding.children.empty()) {
    write_list(json.key("children"), finding.children);
  }
  if (const auto& judged = finding.judged) {
    json.key("judged").begin_object().key("model").string(judged->model);
    json.key("asked").integer(judged->asked).key("agreed").integer(judged->agreed);
    write_count(json, "prompt_tokens", judged->prompt_tokens);
    write_count(json, "completion_tokens", judged->completion_tokens);
    amount(json, "cost", judged->cost);
    json.end_object();
  }
  json.end_object();
}

void write(JsonWriter& json, const score::ToolCall& call) {
  json.begin_object().key("name").string(call.name);
  json.key("arguments").string(call.arguments);
  if (call.result) json.key("result").string(*call.result);
  if (call.failed) json.key("failed").boolean(true);
  json.end_object();
}

void write(JsonWriter& json, const score::Turn& turn) {
  json.begin_object().key("status").string(to_string(turn.status));
  json.key("prompt").string(turn.prompt).key("response").string(turn.response);
  if (!turn.thinking.empty()) json.key("thinking").string(turn.thinking);
  if (!turn.stop_reason.empty()) json.key("stop_reason").string(turn.stop_reason);
  if (!turn.error.empty()) json.key("error").string(turn.error);
  amount(json, "latency", turn.latency);
  write_count(json, "prompt_tokens", turn.prompt_tokens);
  write_count(json, "completion_tokens", turn.completion_tokens);
  write_count(json, "thinking_tokens", turn.thinking_tokens);
  write_count(json, "cached_tokens", turn.cached_tokens);
  amount(json, "input_cost", turn.input_cost);
  amount(json, "output_cost", turn.output_cost);
  amount(json, "cost", turn.cost);
  json.key("tries").integer(turn.tries);
  write_list(json.key("checks"), turn.checks);
  write_list(json.key("tool_calls"), turn.tool_calls);
  json.end_object();
}

void write(JsonWriter& json, const score::NamedValue& value) {
  json.begin_object().key("name").string(value.name);
  if (!value.formula.empty()) json.key("formula").string(value.formula);
  if (value.value) json.key("value").number(*value.value);
  if (!value.error.empty()) json.key("error").string(value.error);
  json.end_object();
}

template <class Item>
std::string list_to_json(const std::vector<Item>& items) {
  if (items.empty()) return {};
  JsonWriter json;
  write_list(json, items);
  return json.text();
}

bool read_json(const JsonValue& from, check::Finding& out);
bool read_json(const JsonValue& from, score::ToolCall& out);
bool read_json(const JsonValue& from, score::Turn& out);
bool read_json(const JsonValue& from, score::NamedValue& out);

bool read_json(const JsonValue& from, std::string& out) {
  if (from.text()) out = *from.text();
  return from.text() != nullptr;
}

bool read_json(const JsonValue& from, double& out) {
  out = from.number().value_or(0);
  return from.number().has_value();
}

template <class Item>
std::optional<std::vector<Item>> list_of(const JsonValue& list) {
  if (!list.array()) return std::nullopt;
  std::vector<Item> out(list.array()->size());
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!read_json((*list.array())[i], out[i])) return std::nullopt;
  return out;
}

bool read_json(const JsonValue& from, check::Finding& out) {
  out.type = from.text_of("type");
  out.message = from.text_of("message");
  std::size_t verdict = 0;
  while (verdict < kVerdicts.size() && kVerdicts[verdict] != from.text_of("verdict")) ++verdict;
  if (verdict == kVerdicts.size()) return false;
  out.verdict = static_cast<check::Verdict>(verdict);
  if (const JsonValue* children = from.find("children")) {
    auto inner = list_of<check::Finding>(*children);
    if (!inner) return false;
    out.children = std::move(*inner);
  }
  if (const JsonValue* judged = from.find("judged")) {
    auto& to = out.judged.emplace();
    to.model = judged->text_of("model");
    to.asked = static_cast<std::uint32_t>(judged->integer_of("asked").value_or(0));
    to.agreed = static_cast<std::uint32_t>(judged->integer_of("agreed").value_or(0));
    to.prompt_tokens = judged->integer_of("prompt_tokens");
    to.completion_tokens = judged->integer_of("completion_tokens");
    to.cost = judged->number_of("cost");
  }
  return true;
}

bool read_json(const JsonValue& from, score::ToolCall& out) {
  out.name = from.text_of("name");
  out.arguments = from.text_of("arguments");
  if (const JsonValue* result = from.find("result"); result && result->text())
    out.result = *result->text();
  const JsonValue* failed = from.find("failed");
  out.failed = failed && failed->boolean() == true;
  return from.object() != nullptr;
}

bool read_json(const JsonValue& from, score::NamedValue& out) {
  out.name = from.text_of("name");
  out.formula = from.text_of("formula");
  out.value = from.number_of("value");
  out.error = from.text_of("error");
  return from.object() != nullptr;
}

bool read_json(const JsonValue& from, score::Turn& out) {
  const auto status = score::result_status(from.text_of("status"));
  const JsonValue* checks = from.find("checks");
  const JsonValue* tool_calls = from.find("tool_calls");
  auto findings = checks ? list_of<check::Finding>(*checks) : std::nullopt;
  auto calls = tool_calls ? list_of<score::ToolCall>(*tool_calls) : std::nullopt;
  if (!status || !findings || !calls) return false;
  out.status = *status;
  out.checks = std::move(*findings);
  out.tool_calls = std::move(*calls);
  out.prompt = from.text_of("prompt");
  out.response = from.text_of("response");
  out.thinking = from.text_of("thinking");
  out.stop_reason = from.text_of("stop_reason");
  out.error = from.text_of("error");
  out.latency = from.number_of("latency");
  out.prompt_tokens = from.integer_of("prompt_tokens");
  out.completion_tokens = from.integer_of("completion_tokens");
  out.thinking_tokens = from.integer_of("thinking_tokens");
  out.cached_tokens = from.integer_of("cached_tokens");
  out.input_cost = from.number_of("input_cost");
  out.output_cost = from.number_of("output_cost");
  out.cost = from.number_of("cost");
  out.tries = static_cast<std::uint32_t>(from.integer_of("tries").value_or(1));
  return true;
}

// Reads named values as they are written here, where nothing in them is escaped: lists of runs
// have hundreds of them. Everything else is left to the parser.
class PlainValues {
 public:
  explicit PlainValues(std::string_view text) : rest_(text) {}

  // None: it is another text.
  std::optional<std::vector<score::NamedValue>> read() {
    std::vector<score::NamedValue> out;
    if (rest_.find('\\') != rest_.npos || !skip("[")) return std::nullopt;
    out.reserve(rest_.size() / kUsualBytes + 1);
    do {
      if (!skip("{\"name\":") || !read_text(out.emplace_back().name)) return std::nullopt;
      if (skip(",\"formula\":") && !read_text(out.back().formula)) return std::nullopt;
      if (skip(",\"value\":") && !read_number(out.back().value.emplace())) return std::nullopt;
      if (skip(",\"error\":") && !read_text(out.back().error)) return std::nullopt;
      if (!skip("}")) return std::nullopt;
    } while (skip(","));
    return rest_ == "]" ? std::optional(std::move(out)) : std::nullopt;
  }

 private:
  static constexpr std::size_t kUsualBytes = 32;  // of a value, at least

  bool skip(std::string_view what) {
    const bool there = rest_.starts_with(what);
    if (there) rest_.remove_prefix(what.size());
    return there;
  }

  bool read_text(std::string& out) {
    if (!skip("\"")) return false;
    const std::size_t size = std::min(rest_.find('"'), rest_.size());
    out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return skip("\"");
  }

  bool read_number(double& out) {
    const char* const begin = rest_.data();
    const std::size_t first = rest_.starts_with('-') ? 1 : 0;  // no `inf`, no `nan`
    if (first >= rest_.size() || rest_[first] < '0' || rest_[first] > '9') return false;
    const auto read = std::from_chars(begin, begin + rest_.size(), out);
    if (read.ec != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - begin));
    return true;
  }

  std::string_view rest_;
};

template <class Item>
std::optional<std::vector<Item>> read_list(std::string_view text) {
  if (text.empty()) return std::vector<Item>();
  const auto list = base::parse_json(text);
  return list ? list_of<Item>(*list) : std::nullopt;
}

}  // namespace

std::string to_json(const std::vector<check::Finding>& findings) { return list_to_json(findings); }
std::string to_json(const std::vector<score::ToolCall>& calls) { return list_to_json(calls); }
std::string to_json(const std::vector<score::Turn>& turns) { return list_to_json(turns); }
std::string to_json(const std::vector<score::NamedValue>& values) { return list_to_json(values); }
std::string to_json(const std::vector<std::string>& texts) { return list_to_json(texts); }
std::string to_json(const std::vector<double>& numbers) { return list_to_json(numbers); }

std::string to_json(const fitness::SignalFigures& signals) {
  JsonWriter json;
  json.begin_object();
  for (std::size_t i = 0; i < signals.size(); ++i)
    amount(json, fitness::kSignals[i].name, signals[i]);
  return json.end_object().text();
}

std::optional<std::vector<check::Finding>> read_findings(std::string_view text) {
  return read_list<check::Finding>(text);
}
std::optional<std::vector<score::ToolCall>> read_tool_calls(std::string_view text) {
  return read_list<score::ToolCall>(text);
}
std::optional<std::vector<score::Turn>> read_turns(std::string_view text) {
  return read_list<score::Turn>(text);
}
std::optional<std::vector<score::NamedValue>> read_named_values(std::string_view text) {
  auto plain = PlainValues(text).read();
  return plain ? plain : read_list<score::NamedValue>(text);
}
std::optional<std::vector<std::string>> read_texts(std::string_view text) {
  return read_list<std::string>(text);
}
std::optional<std::vector<double>> read_numbers(std::string_view text) {
  return read_list<double>(text);
}

std::optional<fitness::SignalFigures> read_signals(std::string_view text) {
  const auto object = base::parse_json(text);
  if (!object || !object->object()) return std::nullopt;
  fitness::SignalFigures out;
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = object->number_of(fitness::kSignals[i].name);
  return out;
}

}  // namespace vibe::store
