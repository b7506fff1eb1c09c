// Validate: everything that can be checked in a suite file without running it.
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
  bool files = true;     // may name files of cases and a rubric; else they are refused
};

struct Validated {
  std::string file;
  std::optional<suite::Suite> suite;              // none if there was an error
  std::shared_ptr<const fitness::Rubric> rubric;  // the suite's; null: the default
  base::Diagnostics diagnostics;
};

// A suite without errors, and its source.
struct LoadedSuite {
  base::SourcePtr source;
  std::shared_ptr<const suite::Suite> suite;
  std::shared_ptr<const fitness::Rubric> rubric;  // the suite's; null: the default
};

// Reads the file (`-` is standard input); paths of cases and a rubric are relative to it.
Validated validate(const std::string& path, const ValidateOptions& options = {});
// A suite that is already read; its paths are relative to the file that its source names.
Validated validate(const base::SourcePtr& source, const ValidateOptions& options = {});
// A document that is already parsed.
Validated validate(const base::YamlDocument& document, const ValidateOptions& options = {});

}  // namespace vibe::app
