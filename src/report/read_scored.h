// Reads scored executions and decisions back from the JSON that report/scored.h writes, as
// report/read_run.h does with runs. Pure.
#pragma once

#include <optional>

#include "base/json_value.h"
#include "fitness/record.h"
#include "store/archive.h"

namespace vibe::report {

std::optional<fitness::ScoredExecution> read_scored(const base::JsonValue& from);
std::optional<fitness::DecisionRecord> read_decision(const base::JsonValue& from);

// `{"executions": […], "pagination": {…}}`, `{"decisions": […], …}`
std::optional<store::ExecutionPage> read_scored_page(const base::JsonValue& from);
std::optional<store::DecisionPage> read_decision_page(const base::JsonValue& from);

}  // namespace vibe::report
