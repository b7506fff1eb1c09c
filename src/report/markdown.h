// Markdown: a run as a comment on a pull request, or the summary of a CI step. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "report/reported.h"

namespace vibe::report {

inline constexpr std::size_t kMostComment = 65536;    // what GitHub takes
inline constexpr std::size_t kMostSummary = 1 << 20;  // bytes of GITHUB_STEP_SUMMARY

// At most so many bytes; what is left out is said at the end. Answers, names and messages are
// shown as text: they are never markup, mentions or links.
std::string markdown(std::span<const ReportedRun> runs, std::size_t most = kMostComment);

}  // namespace vibe::report
