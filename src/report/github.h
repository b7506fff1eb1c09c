// GitHub Actions annotations, which GitHub reads from the output of a step. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "report/reported.h"

namespace vibe::report {

inline constexpr std::size_t kMostAnnotations = 10;  // per kind: GitHub shows no more for a step

// The position of each eval.
struct SuiteFile {
  std::string path;                      // relative to the repository's root; empty: no file
  std::span<const std::uint32_t> lines;  // the line of each sample of the plan
};

// `::error file=…,line=…,title=…::…` for failed samples, a warning for those that could not be
// judged, and a notice with the score; each ends with a line break.
std::string annotations(std::span<const ReportedRun> runs, const SuiteFile& suite);

}  // namespace vibe::report
