// Output for a GitHub Actions step: annotations, and the summary on its page.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/diagnostic.h"
#include "report/reported.h"

namespace vibe::cli {

bool is_github_step();  // from `GITHUB_ACTIONS`

// Wraps text that others wrote, so that GitHub does not read commands in it.
std::string without_commands(const std::string& text);

// `lines`: for each sample of the plan, the line of its eval in the suite file.
std::string github_annotations(std::span<const report::ReportedRun> runs,
                               std::span<const std::uint32_t> lines);

// Appends to the file in `GITHUB_STEP_SUMMARY`, if it is set; adds a warning if that fails.
void add_step_summary(std::span<const report::ReportedRun> runs, base::Diagnostics& out);

}  // namespace vibe::cli
