// A step of GitHub Actions: annotations for the output, the summary for its page.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/diagnostic.h"
#include "report/reported.h"

namespace vibe::cli {

bool is_github_step();  // by `GITHUB_ACTIONS`

// `lines`: where the evals stand in the suite's file, for each sample of the plan.
std::string github_annotations(std::span<const report::ReportedRun> runs,
                               std::span<const std::uint32_t> lines);

// Appends to the file of `GITHUB_STEP_SUMMARY`, if it is set; a warning where that fails.
void add_step_summary(std::span<const report::ReportedRun> runs, base::Diagnostics& out);

}  // namespace vibe::cli
