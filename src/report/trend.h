// The trend of an agent's scores, as people read it. Pure.
#pragma once

#include <optional>
#include <string>

#include "fitness/trend.h"
#include "report/run.h"
#include "score/interval.h"

namespace vibe::report {

// The aggregate, a sparkline of the scores, the weight of each execution, and a comparison of
// versions.
std::string trend_text(const fitness::Trend& trend, const TextStyle& style);

// `70.10 to 78.32`, `N/A`.
std::string show_interval(const std::optional<score::Interval>& interval, int decimals = 2);

}  // namespace vibe::report
