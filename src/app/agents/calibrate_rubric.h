// Calibrates a rubric with known outcomes: how well it separates good executions from bad ones, and
// a rubric that would separate them better.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/agents/score_executions.h"
#include "base/diagnostic.h"
#include "fitness/calibrate.h"

namespace vibe::app {

struct CalibrateRequest {
  ScoreExecutionsRequest scoring;
  std::string labels;                 // a file (app/agents/outcome_labels.h)
  std::optional<std::string> output;  // write the proposed rubric to it
  bool replace = false;               // overwrite an existing file
};

struct Calibrated {
  std::optional<fitness::Calibration> calibration;  // none: the diagnostics say why
  std::vector<std::string> unmatched;               // labels without a session
  std::size_t unlabelled = 0;                       // sessions without a label
  std::optional<std::string> proposal;              // a rubric file; none: no weights were fitted
  base::Diagnostics diagnostics;
};

// A label names a session by its id or, if the log has none, by the name or path of the log.
Calibrated calibrate_rubric(const CalibrateRequest& request);

}  // namespace vibe::app
