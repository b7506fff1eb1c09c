// Turns a promptfoo config into a suite, writes it where that is asked for, and validates it.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "import/promptfoo.h"

namespace vibe::app {

struct ImportRequest {
  std::string config;                 // a file, `-` is standard input
  std::optional<std::string> output;  // none: the suite is not written
  bool replace = false;               // what is there already
  bool strict = false;                // what is not carried over is an error
};

struct ImportedSuite {
  std::optional<import::Imported> imported;  // none if there was an error
  base::Diagnostics diagnostics;
  bool validates = false;  // else something is left to be written by hand
};

ImportedSuite import_promptfoo(const ImportRequest& request);

}  // namespace vibe::app
