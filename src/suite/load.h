// Loads a suite: YAML text → Suite, reporting everything that is wrong with it at once.
// Touches no file but through the function it is given. Safe to call from any thread.
#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "base/source.h"
#include "base/yaml.h"
#include "suite/cases.h"
#include "suite/suite.h"

namespace vibe::suite {

struct LoadOptions {
  ReadFile read_file;    // takes paths of cases, the suite's folder in front; null refuses them
  bool verbose = false;  // say how ambiguous patterns are read
};

// Errors, warnings and notes go to `out`, in the order of the text. No suite if there was an error.
std::optional<Suite> load(const base::SourcePtr& source, const LoadOptions& options,
                          base::Diagnostics& out);
// A document that was parsed already.
std::optional<Suite> load(const base::YamlDocument& document, const LoadOptions& options,
                          base::Diagnostics& out);

}  // namespace vibe::suite
