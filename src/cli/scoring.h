// What the fitness commands share: the options that say how to score logs, and which agent's
// executions to use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/agents/score_executions.h"
#include "base/diagnostic.h"
#include "cli/command.h"

namespace vibe::cli {

// Reads `--format`, `--threads`, `--rubric`, `--task` and `--complexity`; reports bad values.
app::ScoreExecutionsRequest read_scoring(const Arguments& arguments, std::vector<std::string> logs,
                                         base::Diagnostics& out);

// Reads `--agent`; reports an empty name.
std::optional<std::string> read_agent(const Arguments& arguments, base::Diagnostics& out);

// Reports a second `-` among file names.
void read_input_once(const std::vector<std::string>& names, base::Diagnostics& out);

}  // namespace vibe::cli
