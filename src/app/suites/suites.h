// Suites in the store: found by name and version, saved from files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/workspace.h"
#include "base/diagnostic.h"
#include "store/archive.h"

namespace vibe::app {

struct SavedSuite {
  store::SuiteEntry suite;  // as stored now
  bool is_new = false;      // there was none with this name
  bool changed = false;     // its text is different
};

// Validates a file (`-` is standard input) and saves its suite. Warnings and errors go to `out`;
// nothing if there was an error. For a server it is made standalone (standalone_suite.h).
std::optional<SavedSuite> save_suite(Workspace& workspace, const std::string& path, bool strict,
                                     base::Diagnostics& out);

// Saves a valid suite. Code::bad_usage if its name has a template.
base::Result<SavedSuite> keep_suite(store::Suites& stored, store::SuiteEntry suite);

// A hint for an unknown suite name: the nearest names, or how to list or store suites.
std::string suite_hint(store::Suites& stored, std::string_view name);

// The given version, or the last one; Code::not_found, with a hint.
base::Result<store::SuiteEntry> find_suite(store::Suites& stored, std::string_view name,
                                           std::optional<std::uint32_t> version = {});
// All versions, newest first; Code::not_found as above.
base::Result<std::vector<store::SuiteEntry>> suite_versions(store::Suites& stored,
                                                            std::string_view name);

}  // namespace vibe::app
