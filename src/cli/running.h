// Runs prepared suites side by side, with progress on the terminal; and asks the models of stored
// runs all their prompts again.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/runs/runner.h"
#include "cli/command.h"

namespace vibe::cli {

// The runs must have been started. In the order of the suites.
std::vector<app::FinishedRun> follow(app::Runner& runner, std::span<app::Prepared> suites,
                                     Terminal& terminal, bool quiet, base::Diagnostics& out);

// A suite for each stored run, to send its prompts again. Nothing is sent yet.
struct AskAgain {
  std::vector<std::string> runs;
  std::optional<double> budget;            // US dollars for each run
  std::optional<double> run_timeout;       // seconds
  std::optional<std::string> tools_token;  // it is not stored
};
std::optional<std::vector<app::Prepared>> prepare_again(app::Runner& runner, const AskAgain& again,
                                                        base::Diagnostics& out);

}  // namespace vibe::cli
