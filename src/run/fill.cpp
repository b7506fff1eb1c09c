#include "run/fill.h"

#include <type_traits>
#include <unordered_set>
#include <utility>
#include <variant>

#include "base/json_value.h"

namespace vibe::run {

using suite::Placeholder;

namespace {

// The value with its strings and keys replaced by what `visit` returns.
template <class Visit>
base::JsonValue with_texts(const base::JsonValue& value, const Visit& visit) {
  const auto visited = [&](std::string text) {
    visit(text);
    return text;
  };
  if (const auto* text = value.text()) return base::JsonValue(visited(*text));
  if (const auto* items = value.array()) {
    base::JsonValue::Array out;
    for (const auto& item : *items) out.push_back(with_texts(item, visit));
    return base::JsonValue(std::move(out));
  }
  if (const auto* members = value.object()) {
    base::JsonValue::Object out;
    for (const auto& [key, member] : *members)
      out.emplace_back(visited(key), with_texts(member, visit));
    return base::JsonValue(std::move(out));
  }
  return value;
}

// Fills JSON text: a value cannot break out of the string that it is put into.
template <class Text, class Visit>
void for_each_json_text(Text& json, const Visit& visit) {
  if (json.find("{{") == std::string::npos) return;
  const auto value = base::parse_json(json);
  if (!value) return;
  const auto visited = with_texts(*value, visit);
  if constexpr (!std::is_const_v<Text>) json = base::to_text(visited);
}

// Calls `visit` with every text in a check's arguments.
template <class Check, class Visit>
void for_each_check_text(Check& check, const Visit& visit) {
  std::visit(
      [&](auto& arguments) {
        using Arguments = std::remove_cvref_t<decltype(arguments)>;
        if constexpr (std::is_same_v<Arguments, check::Text>) {
          visit(arguments.text);
        } else if constexpr (std::is_same_v<Arguments, check::Patterns>) {
          for (auto& pattern : arguments.all) visit(pattern.text);
        } else if constexpr (std::is_same_v<Arguments, check::Similarity>) {
          visit(arguments.expected);
        } else if constexpr (std::is_same_v<Arguments, check::Judgement>) {
          visit(arguments.criteria);
          visit(arguments.model);
        } else if constexpr (std::is_same_v<Arguments, check::Json>) {
          for_each_json_text(arguments.schema, visit);
        } else if constexpr (std::is_same_v<Arguments, check::Command>) {
          for (auto& word : arguments.argv) visit(word);
        } else if constexpr (std::is_same_v<Arguments, check::ToolUse>) {
          visit(arguments.name);
          for_each_json_text(arguments.args, visit);
        } else if constexpr (std::is_same_v<Arguments, check::AnyOf>) {
          for (auto& alternative : arguments.alternatives)
            for (auto& inner : alternative.all) for_each_check_text(inner, visit);
        } else {
          static_assert(std::is_same_v<Arguments, check::Limit>);
        }
      },
      check.arguments);
}

class Uses {
 public:
  void look_at(std::string_view text) {
    if (text.find("{{") == std::string_view::npos) return;
    for (const auto& placeholder : suite::scan_template(text).placeholders) {
      if (placeholder.kind == Placeholder::Kind::column) continue;
      auto& seen = placeholder.kind == Placeholder::Kind::secret ? secrets_ : variables_;
      if (seen.emplace(placeholder.name).second)
        out.push_back({placeholder.kind, std::string(placeholder.name)});
    }
  }
  void look_at(const std::vector<check::Check>& checks) {
    for_each_text(checks, [this](std::string_view text) { look_at(text); });
  }
  void look_at(const check::Checks& checks) {
    look_at(checks.all);
    for (const auto& follow_up : checks.follow_up) {
      look_at(follow_up.prompt);
      look_at(follow_up.checks);
    }
  }

  std::vector<NamedUse> out;

 private:
  std::unordered_set<std::string> variables_, secrets_;
};

}  // namespace

void for_each_text(const std::vector<check::Check>& checks,
                   const std::function<void(std::string_view)>& use) {
  for (const auto& check : checks) for_each_check_text(check, use);
}

const std::string* Filler::find(const Placeholder& placeholder) const {
  const bool is_secret = placeholder.kind == Placeholder::Kind::secret;
  const Values& values = is_secret ? secrets_ : variables_;
  const auto found = values.find(std::string(placeholder.name));
  return found == values.end() ? nullptr : &found->second;
}

std::vector<NamedUse> used_names(const suite::Suite& suite, std::string_view more) {
  Uses uses;
  uses.look_at(more);
  const auto& metadata = suite.metadata;
  for (const auto* text : {&metadata.name, &metadata.model, &metadata.system_prompt,
                           &metadata.judge_model, &metadata.embedding_model})
    uses.look_at(*text);
  if (const auto& server = metadata.mcp_server)
    for (const auto* text : {&server->url, &server->name, &server->authorization_token})
      uses.look_at(*text);
  uses.look_at(suite.default_checks);
  for (const auto& eval : suite.evals) {
    uses.look_at(eval.prompt);
    uses.look_at(eval.checks);
  }
  return std::move(uses.out);
}

std::string Filler::fill(std::string_view text, CaseRow row) const {
  if (text.find("{{") == std::string_view::npos) return std::string(text);
  std::string out;
  std::size_t begin = 0;
  const auto replace = [&](const Placeholder& placeholder, std::string_view value) {
    out.append(text, begin, placeholder.span.begin - begin);
    begin = placeholder.span.end;
    // A template that a regular expression quotes, `\Q{{…}}\E`, stays quoted.
    const bool is_quoted = out.ends_with("\\Q") && text.substr(begin).starts_with("\\E");
    for (auto end = value.find("\\E"); is_quoted && end != std::string_view::npos;
         end = value.find("\\E")) {
      out.append(value.substr(0, end)).append("\\E\\\\E\\Q");
      value.remove_prefix(end + 2);
    }
    out.append(value);
  };
  for (const auto& placeholder : suite::scan_template(text).placeholders) {
    if (placeholder.kind == Placeholder::Kind::column) {
      const auto column = row.table ? row.table->find(placeholder.name) : std::nullopt;
      if (column) replace(placeholder, row.table->cell(row.row, *column));
      continue;
    }
    if (const auto* value = find(placeholder)) replace(placeholder, *value);
  }
  return out.append(text, begin);
}

std::vector<check::Check> Filler::fill(const std::vector<check::Check>& checks, CaseRow row) const {
  auto out = checks;
  for (auto& check : out)
    for_each_check_text(check, [&](std::string& text) {
      if (text.find("{{") != std::string::npos) text = fill(text, row);
    });
  return out;
}

}  // namespace vibe::run
