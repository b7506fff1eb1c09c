// A step of GitHub Actions: annotations for the output, the summary for its page.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/diagnostic.h"
#include "report/reported.h"

namespace vibe::cli {

bool is_github_step();  // by `GITHUB_ACTIONS`

// Text that others wrote, for the output of a step: GitHub takes none of its lines for commands.
std::string without_commands(const std::string& text);

// `lines`: where the evals stand in the suite's file, for each sample of the plan.
std::string github_annotations(std::span<const report::ReportedRun> runs,
                               std::span<const std::uint32_t> lines);

// Appends to the file of `GITHUB_STEP_SUMMARY`, if it is set; a warning where that fails.
void add_step_summary(std::span<const report::ReportedRun> runs, base::Diagnostics& out);

}  // namespace vibe::cli
