// What GitHub Actions reads from the output of a step: annotations. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "report/reported.h"

namespace vibe::report {

inline constexpr std::size_t kMostAnnotations = 10;  // of a kind: GitHub shows no more for a step

// Where the evals stand.
struct SuiteFile {
  std::string path;                      // from the repository's root; empty: there is no file
  std::span<const std::uint32_t> lines;  // of each sample of the plan
};

// `::error file=…,line=…,title=…::…` for what failed, a warning for what could not be judged, and a
// notice with the score; each ends with a line break.
std::string annotations(std::span<const ReportedRun> runs, const SuiteFile& suite);

}  // namespace vibe::report
