// Suites and variables, formatted for people. Pure.
#pragma once

#include <span>
#include <string>

#include "report/run.h"
#include "store/archive.h"

namespace vibe::report {

std::string suite_table(std::span<const store::SuiteEntry> suites, score::Millis now,
                        const TextStyle& style);
// All versions of one suite.
std::string version_table(std::span<const store::SuiteEntry> versions, const TextStyle& style);
std::string variable_table(std::span<const store::Variable> variables, const TextStyle& style);

}  // namespace vibe::report
