// The parts of the HTML report: charts and evals. For html.cpp alone. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/reported.h"

namespace vibe::report {

// The class of the style sheet, and the word that says the same.
struct Badge {
  std::string_view style, word;
};
Badge badge_of(score::ResultStatus status);
std::string badge(std::string_view style, std::string_view word);

// Outcomes, latencies and costs as SVG, a figure for each run on the same scale.
std::string charts(std::span<const ReportedRun> runs);

// Every sample with its checks and texts, and the choice of which are shown. `number` tells
// the runs of a document apart, `level` is that of the headings of the evals.
std::string eval_section(const ReportedRun& reported, std::size_t number, int level,
                         std::size_t all_results);

}  // namespace vibe::report
