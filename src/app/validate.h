// Validate: everything that can be known of a suite file without running it.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "suite/suite.h"

namespace vibe::app {

struct ValidateOptions {
  bool strict = false;   // warnings are errors
  bool verbose = false;  // say how ambiguous patterns are read
};

struct Validated {
  std::string file;
  std::optional<suite::Suite> suite;  // none if there was an error
  base::Diagnostics diagnostics;
};

// Reads the file (`-` is standard input); files of cases stand beside it.
Validated validate(const std::string& path, const ValidateOptions& options = {});
// A suite that is read already; files of cases stand beside the file that its source is named by.
Validated validate(const base::SourcePtr& source, const ValidateOptions& options = {});

}  // namespace vibe::app
