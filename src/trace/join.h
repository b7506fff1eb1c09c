// Join: several sessions that are one execution, such as those of a program that starts several
// agents. Pure.
#pragma once

#include <vector>

#include "trace/execution.h"

namespace vibe::trace {

// At least one. Calls and other counts add up, and so do times, tokens and costs, which are absent
// where one session lacks them; the answer, the task and how it ended are those of the last session
// that tells.
Execution join(std::vector<Execution> sessions);

}  // namespace vibe::trace
