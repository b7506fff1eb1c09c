// Join: merges several sessions into one execution, for example if a program starts several agents.
// Pure.
#pragma once

#include <vector>

#include "trace/execution.h"

namespace vibe::trace {

// Needs at least one session. Counts, times, tokens and costs add up; times, tokens and costs are
// absent if one session lacks them. The answer, the task and the end state come from the last
// session that has them.
Execution join(std::vector<Execution> sessions);

}  // namespace vibe::trace
