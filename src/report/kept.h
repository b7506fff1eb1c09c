// What else is kept beside runs: suites, variables, the names of secrets, as people and programs
// read them. JSON is as the HTTP API has it. Pure.
#pragma once

#include <span>
#include <string>

#include "report/run.h"
#include "store/archive.h"

namespace vibe::report {

std::string suite_table(std::span<const store::SuiteEntry> suites, score::Millis now,
                        const TextStyle& style);
std::string suites_json(std::span<const store::SuiteEntry> suites);
std::string suite_json(const store::SuiteEntry& suite);

// All versions of one suite.
std::string version_table(std::span<const store::SuiteEntry> versions, const TextStyle& style);
std::string versions_json(std::span<const store::SuiteEntry> versions);

std::string variable_table(std::span<const store::Variable> variables, const TextStyle& style);
std::string variables_json(std::span<const store::Variable> variables);
std::string variable_json(const store::Variable& variable);
std::string secrets_json(std::span<const std::string> names);

}  // namespace vibe::report
