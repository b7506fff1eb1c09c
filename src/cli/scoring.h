// What the commands about fitness have in common: the options that say how logs are scored, and
// whose executions are meant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/agents/score_executions.h"
#include "base/diagnostic.h"
#include "cli/command.h"

namespace vibe::cli {

// From `--format`, `--threads`, `--rubric`, `--task` and `--complexity`; reports what makes no
// sense.
app::ScoreExecutionsRequest read_scoring(const Arguments& arguments, std::vector<std::string> logs,
                                         base::Diagnostics& out);

// `--agent`; reports one that is empty, which is no agent's name.
std::optional<std::string> read_agent(const Arguments& arguments, base::Diagnostics& out);

// Reports a second `-` among names of files.
void read_input_once(const std::vector<std::string>& names, base::Diagnostics& out);

}  // namespace vibe::cli
