// Turns a promptfoo config into a suite, writes it if asked to, and validates it.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "import/promptfoo.h"

namespace vibe::app {

struct ImportRequest {
  std::string config;                 // a file, `-` is standard input
  std::optional<std::string> output;  // a file; none: the suite is not written
  bool replace = false;               // an existing file
  bool strict = false;                // losses are errors
};

struct ImportedSuite {
  std::optional<import::Imported> imported;  // none if there was an error
  base::Diagnostics diagnostics;
  bool validates = false;  // if not, the user has to complete it
};

ImportedSuite import_promptfoo(const ImportRequest& request);

}  // namespace vibe::app
