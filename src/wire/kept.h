// What else is kept beside runs: suites, variables, the names of secrets, in the API's JSON,
// written and read. JSON of any origin may be read: what is missing or of another type is unknown.
// Pure.
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

// None: it is not one. A suite that does not say its name has the one that is given.
std::optional<store::SuiteEntry> read_suite(const base::JsonValue& from, std::string_view name);
std::optional<std::vector<store::SuiteEntry>> read_suites(const base::JsonValue& from);
std::optional<std::vector<store::SuiteEntry>> read_versions(const base::JsonValue& from,
                                                            std::string_view name);
std::optional<std::vector<store::Variable>> read_variables(const base::JsonValue& from);
std::optional<std::vector<std::string>> read_secrets(const base::JsonValue& from);

}  // namespace vibe::wire
