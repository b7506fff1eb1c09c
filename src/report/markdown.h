// Markdown: a run as a pull request comment, or as the summary of a CI step. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "report/reported.h"

namespace vibe::report {

inline constexpr std::size_t kMostComment = 65536;    // GitHub's limit
inline constexpr std::size_t kMostSummary = 1 << 20;  // bytes of GITHUB_STEP_SUMMARY

// At most `most` bytes; a note at the end says what is left out. Answers, names and messages are
// shown as text, never as markup, mentions or links.
std::string markdown(std::span<const ReportedRun> runs, std::size_t most = kMostComment);

}  // namespace vibe::report
