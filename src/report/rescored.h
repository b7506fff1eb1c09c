// Rescored runs as text: what changed as a whole, and the table of runs. Pure.
#pragma once

#include <span>
#include <string>

#include "report/run.h"
#include "score/rescored.h"

namespace vibe::report {

std::string rescore_summary(const score::RescoreSummary& summary);
std::string rescored_table(std::span<const score::RescoredRun> rows, const TextStyle& style);

}  // namespace vibe::report
