// `tool_called`: the model called a tool, with certain arguments if they are given.
#include <algorithm>

#include <fmt/format.h>

#include "base/json_value.h"
#include "check/judging.h"
#include "check/yaml_json.h"

namespace vibe::check {

using base::JsonValue;

std::optional<Arguments> read_tool_called(const CheckKind& kind, const base::YamlNode& value,
                                          Reading& reading) {
  const auto fields = read_table(kind, kToolCalledSection, value, reading);
  if (!fields) return std::nullopt;
  auto name = fields->text("name");
  if (!name) return std::nullopt;
  ToolUse out{*std::move(name), ""};
  if (const base::YamlNode* args = fields->find("args")) {
    YamlAsJson json(reading);
    if (!json.write(*args)) return std::nullopt;
    out.args = json.text();
  }
  return out;
}

namespace {

// Objects may have additional members; everything else must be equal.
bool contains(const JsonValue& value, const JsonValue& wanted) {
  if (const auto* object = wanted.object())
    return value.object() && std::all_of(object->begin(), object->end(), [&](const auto& member) {
             const JsonValue* found = value.find(member.first);
             return found && contains(*found, member.second);
           });
  if (const auto* list = wanted.array()) {
    const auto* other = value.array();
    return other && std::equal(list->begin(), list->end(), other->begin(), other->end(),
                               [](const auto& a, const auto& b) { return contains(b, a); });
  }
  if (wanted.number()) return value.number() == wanted.number();
  if (wanted.text()) return value.text() && *value.text() == *wanted.text();
  return wanted.is_null() ? value.is_null() : value.boolean() == wanted.boolean();
}

bool has_arguments(const model::ToolCall& call, const JsonValue& wanted) {
  const auto given = base::parse_json(call.arguments);
  return given && contains(*given, wanted);
}

std::string names_of(std::span<const model::ToolCall> calls, const Judging& judging) {
  std::vector<std::string_view> names;
  for (const auto& call : calls)
    if (std::find(names.begin(), names.end(), call.name) == names.end()) names.push_back(call.name);
  return names.empty() ? "no tool was called"
                       : fmt::format("called: {}",
                                     judging.in_quotes(fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace

Finding judge_tool_called(const Check& check, Judging& judging) {
  const auto& [name, args] = std::get<ToolUse>(check.arguments);
  const auto calls = judging.response().tool_calls;
  const auto wanted = args.empty() ? JsonValue(JsonValue::Object()) : base::parse_json(args);
  if (!wanted) return finding(Verdict::error, "`args` is not JSON: " + wanted.error());
  const model::ToolCall* other = nullptr;  // the same tool with other arguments
  for (const auto& call : calls) {
    if (call.name != name) continue;
    if (args.empty() || has_arguments(call, *wanted))
      return finding(Verdict::pass, fmt::format("Tool {} called with {}", judging.in_quotes(name),
                                                judging.in_quotes(call.arguments)));
    other = &call;
  }
  if (other)
    return finding(Verdict::fail,
                   fmt::format("Tool {} not called with {}, but with {}", judging.in_quotes(name),
                               judging.in_quotes(args), judging.in_quotes(other->arguments)));
  return finding(Verdict::fail, fmt::format("Tool {} not called; {}", judging.in_quotes(name),
                                            names_of(calls, judging)));
}

}  // namespace vibe::check
