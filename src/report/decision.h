// One decision about a changed agent, as text and JSON. Pure.
#pragma once

#include <optional>
#include <string>

#include "fitness/record.h"
#include "report/run.h"
#include "score/interval.h"

namespace vibe::report {

// The intervals of the sides, if they are sets of executions.
std::string decision_text(const fitness::DecisionRecord& record,
                          const std::optional<score::Interval>& before,
                          const std::optional<score::Interval>& after, const TextStyle& style);

}  // namespace vibe::report
