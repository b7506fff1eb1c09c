#include "wire/kept.h"

#include "base/shape_json.h"
#include "wire/json.h"

namespace vibe::base {

using store::SuiteEntry;
using store::Variable;

template <>
inline constexpr auto kRows<SuiteEntry> = Rows{
    Row<&SuiteEntry::name>{.key = "name"},
    Row<&SuiteEntry::text>{.key = "yamlContent", .is_detail = true},
    Row<&SuiteEntry::last_run_at>{.key = "lastRun", .wire = Wire::time},
    Row<&SuiteEntry::edited_at>{.key = "lastEdit", .wire = Wire::time},
    Row<&SuiteEntry::evals>{.key = "evalCount"},
    Row<&SuiteEntry::version>{.key = "version"},
    Row<&SuiteEntry::path>{},  // means nothing elsewhere
};
static_assert(has_row_for_each<SuiteEntry>());

// One version among others.
constexpr base::Rows kVersionRows{
    Row<&SuiteEntry::version>{.key = "version"},
    Row<&SuiteEntry::edited_at>{.key = "lastEdit", .wire = Wire::time},
    Row<&SuiteEntry::evals>{.key = "evalCount"},
    Row<&SuiteEntry::text>{.key = "yamlContent"},
};

template <>
inline constexpr auto kRows<Variable> = Rows{
    Row<&Variable::name>{.key = "name"},
    Row<&Variable::value>{.key = "value"},
};
static_assert(has_row_for_each<Variable>());

}  // namespace vibe::base

namespace vibe::wire {

using base::Detail;
using base::JsonValue;
using base::WireJson;
using store::SuiteEntry;
using store::Variable;

namespace {

// An object with a list, each item an object that `write` fills.
template <class Item, class Write>
std::string kept_list(std::string_view key, std::span<const Item> items, const Write& write) {
  auto json = indented_json();
  json.begin_object().key(key).begin_array();
  for (const Item& item : items) {
    json.begin_object();
    write(json, item);
    json.end_object();
  }
  json.end_array().end_object();
  return json_document(json);
}

template <class Item>
std::optional<std::vector<Item>> read_kept(const JsonValue& from, std::string_view key) {
  const JsonValue* list = from.find(key);
  std::vector<Item> out;
  if (!list || !list->array() || !base::read_value<WireJson>(*list, out)) return std::nullopt;
  return out;
}

}  // namespace

std::string suites_json(std::span<const SuiteEntry> suites) {
  return kept_list("suites", suites, [](auto& json, const SuiteEntry& suite) {
    base::write_members<WireJson>(json, suite, Detail::none);
  });
}

std::string suite_json(const SuiteEntry& suite) {
  auto json = indented_json();
  json.begin_object().key("suite");
  base::write_value<WireJson>(json, suite);
  json.end_object();
  return json_document(json);
}

std::string versions_json(std::span<const SuiteEntry> versions) {
  return kept_list("versions", versions, [](auto& json, const SuiteEntry& suite) {
    base::write_rows<WireJson>(json, base::kVersionRows, suite);
  });
}

std::string variables_json(std::span<const Variable> variables) {
  return kept_list("vars", variables, [](auto& json, const Variable& variable) {
    base::write_members<WireJson>(json, variable);
  });
}

std::string variable_json(const Variable& variable) {
  auto json = indented_json();
  base::write_value<WireJson>(json, variable);
  return json_document(json);
}

std::string secrets_json(std::span<const std::string> names) {
  return kept_list("secrets", names,
                   [](auto& json, const std::string& name) { json.key("name").string(name); });
}

std::optional<SuiteEntry> read_suite(const JsonValue& from, std::string_view name) {
  SuiteEntry out;
  if (!base::read_value<WireJson>(from, out)) return std::nullopt;
  if (out.name.empty()) out.name = name;
  return out;
}

std::optional<std::vector<SuiteEntry>> read_suites(const JsonValue& from) {
  return read_kept<SuiteEntry>(from, "suites");
}

std::optional<std::vector<SuiteEntry>> read_versions(const JsonValue& from, std::string_view name) {
  auto out = read_kept<SuiteEntry>(from, "versions");
  if (out)
    for (SuiteEntry& version : *out) version.name = name;
  return out;
}

std::optional<std::vector<Variable>> read_variables(const JsonValue& from) {
  return read_kept<Variable>(from, "vars");
}

std::optional<std::vector<std::string>> read_secrets(const JsonValue& from) {
  const auto named = read_kept<Variable>(from, "secrets");
  if (!named) return std::nullopt;
  std::vector<std::string> out;
  for (const Variable& one : *named) out.push_back(one.name);
  return out;
}

}  // namespace vibe::wire
