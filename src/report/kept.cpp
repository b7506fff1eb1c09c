#include "report/kept.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "report/table.h"
#include "wire/json.h"

namespace vibe::report {

using base::JsonWriter;

namespace {

void write_variable(JsonWriter& json, const store::Variable& variable) {
  json.begin_object().key("name").string(variable.name);
  json.key("value").string(variable.value).end_object();
}

}  // namespace

std::string suite_table(std::span<const store::SuiteEntry> suites, score::Millis now,
                        const TextStyle& style) {
  Table table({{"Suite", Align::left, 8},
               {"Evals", Align::right, 0},
               {"Version", Align::right, 0},
               {"Edited", Align::left, 0},
               {"Last run", Align::left, 0}});
  for (const auto& suite : suites)
    table.add({base::printable(suite.name), std::to_string(suite.evals),
               std::to_string(suite.version), ago(suite.edited_at, now),
               suite.last_run_at ? ago(*suite.last_run_at, now) : "never"});
  return table.to_text(style.width);
}

std::string suites_json(std::span<const store::SuiteEntry> suites) {
  auto json = wire::indented_json();
  json.begin_object().key("suites").begin_array();
  for (const auto& suite : suites) {
    json.begin_object().key("name").string(suite.name);
    wire::write_time(json, "lastRun", suite.last_run_at);
    wire::write_time(json, "lastEdit", suite.edited_at);
    json.key("evalCount").integer(suite.evals).key("version").integer(suite.version).end_object();
  }
  json.end_array().end_object();
  return wire::json_document(json);
}

std::string suite_json(const store::SuiteEntry& suite) {
  auto json = wire::indented_json();
  json.begin_object().key("suite").begin_object().key("name").string(suite.name);
  json.key("yamlContent").string(suite.text);
  wire::write_time(json, "lastRun", suite.last_run_at);
  wire::write_time(json, "lastEdit", suite.edited_at);
  json.key("evalCount").integer(suite.evals).key("version").integer(suite.version);
  json.end_object().end_object();
  return wire::json_document(json);
}

std::string version_table(std::span<const store::SuiteEntry> versions, const TextStyle& style) {
  Table table({{"Version", Align::right, 0},
               {"Edited", Align::left, 0},
               {"Evals", Align::right, 0},
               {"File", Align::left, 12}});
  for (const auto& one : versions)
    table.add({std::to_string(one.version), base::iso_time(one.edited_at),
               std::to_string(one.evals), base::printable(one.path)});
  return table.to_text(style.width);
}

std::string versions_json(std::span<const store::SuiteEntry> versions) {
  auto json = wire::indented_json();
  json.begin_object().key("versions").begin_array();
  for (const auto& one : versions) {
    json.begin_object().key("version").integer(one.version);
    wire::write_time(json, "lastEdit", one.edited_at);
    json.key("evalCount").integer(one.evals).key("yamlContent").string(one.text).end_object();
  }
  json.end_array().end_object();
  return wire::json_document(json);
}

std::string variable_table(std::span<const store::Variable> variables, const TextStyle& style) {
  Table table({{"Name", Align::left, 0}, {"Value", Align::left, 12}});
  for (const auto& one : variables)
    table.add({base::printable(one.name), base::printable(one.value)});
  return table.to_text(style.width);
}

std::string variables_json(std::span<const store::Variable> variables) {
  auto json = wire::indented_json();
  json.begin_object().key("vars").begin_array();
  for (const auto& one : variables) write_variable(json, one);
  json.end_array().end_object();
  return wire::json_document(json);
}

std::string variable_json(const store::Variable& variable) {
  auto json = wire::indented_json();
  write_variable(json, variable);
  return wire::json_document(json);
}

std::string secrets_json(std::span<const std::string> names) {
  auto json = wire::indented_json();
  json.begin_object().key("secrets").begin_array();
  for (const auto& name : names) json.begin_object().key("name").string(name).end_object();
  json.end_array().end_object();
  return wire::json_document(json);
}

}  // namespace vibe::report
