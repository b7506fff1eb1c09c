// Validate: everything that can be known of a suite file without running it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/yaml.h"
#include "fitness/rubric.h"
#include "suite/suite.h"

namespace vibe::app {

struct ValidateOptions {
  bool strict = false;   // warnings are errors
  bool verbose = false;  // say how ambiguous patterns are read
  bool files = true;     // of cases and rubrics are read; else they are refused
};

struct Validated {
  std::string file;
  std::optional<suite::Suite> suite;              // none if there was an error
  std::shared_ptr<const fitness::Rubric> rubric;  // that the suite names; null: the default
  base::Diagnostics diagnostics;
};

// A suite without errors, and what it was read from.
struct LoadedSuite {
  base::SourcePtr source;
  std::shared_ptr<const suite::Suite> suite;
  std::shared_ptr<const fitness::Rubric> rubric;  // that the suite names; null: the default
};

// Reads the file (`-` is standard input); files of cases, and a rubric, stand beside it.
Validated validate(const std::string& path, const ValidateOptions& options = {});
// A suite that is read already; its files stand beside the file that its source is named by.
Validated validate(const base::SourcePtr& source, const ValidateOptions& options = {});
// A document that is parsed already.
Validated validate(const base::YamlDocument& document, const ValidateOptions& options = {});

}  // namespace vibe::app
