// Loads a suite: YAML text → Suite. Reports all problems at once. Reads files only through the
// given function. Safe to call from any thread.
#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "base/source.h"
#include "base/yaml.h"
#include "suite/cases.h"
#include "suite/suite.h"

namespace vibe::suite {

struct LoadOptions {
  ReadFile read_file;    // gets paths of cases, including the suite's folder; null refuses them
  bool verbose = false;  // report how ambiguous patterns are read
};

// Errors, warnings and notes go to `out`, in text order. No suite if there was an error.
std::optional<Suite> load(const base::SourcePtr& source, const LoadOptions& options,
                          base::Diagnostics& out);
// For a document that is already parsed.
std::optional<Suite> load(const base::YamlDocument& document, const LoadOptions& options,
                          base::Diagnostics& out);

}  // namespace vibe::suite
