// One decision about a changed agent, as people and programs read it. Pure.
#pragma once

#include <optional>
#include <string>

#include "fitness/record.h"
#include "report/run.h"
#include "score/interval.h"

namespace vibe::report {

// The intervals are those of the sides, where they are sets of executions.
std::string decision_text(const fitness::DecisionRecord& record,
                          const std::optional<score::Interval>& before,
                          const std::optional<score::Interval>& after, const TextStyle& style);
std::string decision_json(const fitness::DecisionRecord& record);  // an object

}  // namespace vibe::report
