// The trend of an agent's scores, as JSON and CSV. Pure.
#pragma once

#include <string>

#include "fitness/trend.h"

namespace vibe::wire {

std::string trend_json(const fitness::Trend& trend);  // an object, with every execution
std::string trend_csv(const fitness::Trend& trend);   // a row for each execution, newest first

}  // namespace vibe::wire
