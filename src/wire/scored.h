// Scored executions and decisions as the API's JSON, written and read, as JSON lines and as CSV.
// Reads JSON of any origin: missing members, and members of another type, are unknown. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/json_value.h"
#include "fitness/record.h"
#include "store/archive.h"

namespace vibe::wire {

std::string scored_json(const fitness::ScoredExecution& scored);  // an object
std::string scored_page_json(const store::ExecutionPage& page);   // `{"executions": […], …}`
std::string scored_jsonl(std::span<const fitness::ScoredExecution> executions);
std::string scored_csv(std::span<const fitness::ScoredExecution> executions);

std::string decision_json(const fitness::DecisionRecord& record);  // an object
std::string decision_page_json(const store::DecisionPage& page);   // `{"decisions": […], …}`
std::string decision_jsonl(std::span<const fitness::DecisionRecord> decisions);
std::string decision_csv(std::span<const fitness::DecisionRecord> decisions);

// None: it is not a scored execution.
std::optional<fitness::ScoredExecution> read_scored(const base::JsonValue& from);
std::optional<fitness::DecisionRecord> read_decision(const base::JsonValue& from);
std::optional<store::ExecutionPage> read_scored_page(const base::JsonValue& from);
std::optional<store::DecisionPage> read_decision_page(const base::JsonValue& from);

}  // namespace vibe::wire
