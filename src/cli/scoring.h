// What the commands that score logs have in common: the options that say how.
#pragma once

#include <string>
#include <vector>

#include "app/score_executions.h"
#include "base/diagnostic.h"
#include "cli/command.h"

namespace vibe::cli {

// From `--format`, `--threads`, `--rubric`, `--task` and `--complexity`; reports what makes no
// sense.
app::ScoreExecutionsRequest read_scoring(const Arguments& arguments, std::vector<std::string> logs,
                                         base::Diagnostics& out);

// Reports a second `-` among names of files.
void read_input_once(const std::vector<std::string>& names, base::Diagnostics& out);

}  // namespace vibe::cli
