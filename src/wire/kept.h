// Suites, variables and secret names as the API's JSON, in both directions. Reads JSON from any
// source: a value that is missing or has another type is unknown. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_value.h"
#include "store/archive.h"

namespace vibe::wire {

std::string suites_json(std::span<const store::SuiteEntry> suites);      // `{"suites": […]}`
std::string suite_json(const store::SuiteEntry& suite);                  // `{"suite": {…}}`
std::string versions_json(std::span<const store::SuiteEntry> versions);  // `{"versions": […]}`

std::string variables_json(std::span<const store::Variable> variables);  // `{"vars": […]}`
std::string variable_json(const store::Variable& variable);              // an object
std::string secrets_json(std::span<const std::string> names);            // `{"secrets": […]}`

// nullopt if the JSON has another shape. `name` is the suite's name if the JSON has none.
std::optional<store::SuiteEntry> read_suite(const base::JsonValue& from, std::string_view name);
std::optional<std::vector<store::SuiteEntry>> read_suites(const base::JsonValue& from);
std::optional<std::vector<store::SuiteEntry>> read_versions(const base::JsonValue& from,
                                                            std::string_view name);
std::optional<std::vector<store::Variable>> read_variables(const base::JsonValue& from);
std::optional<std::vector<std::string>> read_secrets(const base::JsonValue& from);

}  // namespace vibe::wire
