// The trend of an agent's scores, as people and programs read it. Pure.
#pragma once

#include <string>

#include "fitness/trend.h"
#include "report/run.h"
#include "score/interval.h"

namespace vibe::report {

// The aggregate, a line that shows how the scores went, which executions count by which weight, and
// how versions compare.
std::string trend_text(const fitness::Trend& trend, const TextStyle& style);
std::string trend_json(const fitness::Trend& trend);  // an object, with every execution
std::string trend_csv(const fitness::Trend& trend);   // a row for each execution, newest first

// `70.10 to 78.32`, `N/A`.
std::string show_interval(const std::optional<score::Interval>& interval, int decimals = 2);
void write_interval(base::JsonWriter& json, const std::optional<score::Interval>& interval);

}  // namespace vibe::report
