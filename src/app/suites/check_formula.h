// Checks one formula, with the names of a suite; without a suite, unknown words count as evals.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "formula/program.h"

namespace vibe::app {

struct CheckFormulaRequest {
  std::string formula;
  std::optional<std::string> suite;  // a file
  bool strict = false;
};

struct CheckedFormula {
  std::optional<formula::Program> program;  // none if there was an error
  base::Diagnostics diagnostics;
};

CheckedFormula check_formula(const CheckFormulaRequest& request);

// The same, with the suite passed as YAML text, so no file is read. Without a formula, checks the
// suite's own.
CheckedFormula check_formula(const std::optional<std::string>& formula, const std::string& suite);

}  // namespace vibe::app
