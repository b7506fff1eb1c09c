// The members of scored executions and decisions, by their names in the store, in the API's JSON
// and in CSV (base/shape.h). In the order of the JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "base/shape.h"
#include "fitness/record.h"
#include "trace/execution_shape.h"

namespace vibe::fitness {

inline Millis time_of(const ScoredExecution& scored) { return scored.time(); }
template <std::size_t Place>
std::optional<double> signal_at(const ScoredExecution& scored) {
  return scored.signals[Place];
}

}  // namespace vibe::fitness

namespace vibe::base {

template <>
inline constexpr auto kReadName<fitness::TaskType> = &fitness::task_type;
template <>
inline constexpr auto kReadName<fitness::Complexity> = &fitness::complexity;
template <>
inline constexpr auto kReadName<fitness::Reason> = &fitness::reason;

// In CSV each signal is a column, behind the figures of the log.
inline constexpr std::uint8_t kFirstSignal = 21, kAfterSignals = 21 + fitness::kSignals.size();
template <std::size_t... Place>
constexpr auto signal_rows(std::index_sequence<Place...>) {
  return Rows{Derived<fitness::signal_at<Place>>{
      .key = {}, .csv = {kFirstSignal + Place, fitness::kSignals[Place].name}}...};
}

template <>
inline constexpr auto kRows<fitness::ScoredExecution> = [] {
  using fitness::AgentVersion, fitness::ScoredExecution, trace::Execution;
  constexpr auto kExecution = &ScoredExecution::execution;
  return join(
      Rows{
          Row<kExecution, &Execution::id>{"session", "id", Wire::known, Csv{4, "session"}},
          Row<kExecution, &Execution::file>{"file", "file", Wire::known, Csv{5}},
          Row<kExecution, &Execution::format>{"format", "format", Wire::known, Csv{6}, Kept::text},
          // The API shows what it was scored as; the log's own value is kept with it.
          Row<&ScoredExecution::agent, &AgentVersion::agent>{"agent", "agent", Wire::known, Csv{2}},
          Row<kExecution, &Execution::agent>{"log_agent"},
          Row<kExecution, &Execution::model>{"model", "model", Wire::known, Csv{7}},
          Row<&ScoredExecution::task_type>{"task_type", "task_type", Wire::known, Csv{10}},
          Row<kExecution, &Execution::task_type>{"log_task_type"},
          Row<&ScoredExecution::complexity>{"complexity", "complexity", Wire::known, Csv{11}},
          Row<kExecution, &Execution::complexity>{"log_complexity"},
      },
      within<kExecution>(kFigureRows),
      Rows{
          Row<&ScoredExecution::signals>{"signals", "signals", Wire::own},
          Row<&ScoredExecution::score>{"score", "score", Wire::known, Csv{kAfterSignals}},
          Row<&ScoredExecution::grade>{"grade", "grade", Wire::known, Csv{kAfterSignals + 1}},
          Row<&ScoredExecution::meaning>{"meaning", "interpretation", Wire::known},
          Row<kExecution, &Execution::notes>{"notes", "notes"},
          Row<kExecution, &Execution::calls>{},  // not kept
          Row<&ScoredExecution::id>{"id", "execution_id", Wire::value, Csv{1}, Kept::text},
          Row<&ScoredExecution::agent, &AgentVersion::version>{"version", "version", Wire::known,
                                                               Csv{3}},
          Row<&ScoredExecution::error>{"error", "score_error", Wire::known,
                                       Csv{kAfterSignals + 3, "error"}},
          Derived<fitness::time_of>{.key = {}, .wire = Wire::time, .csv = {8, "time"}},
          Row<&ScoredExecution::scored_at>{"scored_at", "scored_at", Wire::time, Csv{9}},
          Row<&ScoredExecution::rubric>{"rubric", "rubric", Wire::value, Csv{kAfterSignals + 2}},
          Row<&ScoredExecution::rubric_hash>{
              "rubric_hash", "rubric_hash", Wire::value, {}, Kept::text},
      },
      signal_rows(std::make_index_sequence<fitness::kSignals.size()>()));
}();
static_assert(has_row_for_each<fitness::ScoredExecution>());

template <>
inline constexpr auto kRows<fitness::DecisionSide> = Rows{
    Row<&fitness::DecisionSide::what>{.key = "what"},
    Row<&fitness::DecisionSide::scores>{.key = "scores"},
    Row<&fitness::DecisionSide::executions>{.key = "executions"},
};
static_assert(has_row_for_each<fitness::DecisionSide>());

template <>
inline constexpr auto kRows<fitness::DecisionRecord> = [] {
  using fitness::Decision, fitness::DecisionRecord, fitness::DecisionSide;
  constexpr auto kDecision = &DecisionRecord::decision;
  constexpr auto kBefore = &DecisionRecord::before, kAfter = &DecisionRecord::after;
  return Rows{
      Row<kDecision, &Decision::accept>{"accept", "accept", Wire::value, Csv{8}},
      Row<kDecision, &Decision::reason>{"reason", "reason", Wire::value, Csv{9}},
      Row<kDecision, &Decision::delta>{"delta", "delta", Wire::value, Csv{7}},
      Row<kDecision, &Decision::old_score>{"old_score", "old", Wire::value, Csv{5}},
      Row<kDecision, &Decision::new_score>{"new_score", "new", Wire::value, Csv{6}},
      Row<kDecision, &Decision::seed>{"seed", "seed", Wire::value, Csv{13}},
      Row<kDecision, &Decision::draw>{"draw", "draw", Wire::known, Csv{10}},
      Row<kDecision, &Decision::probability_better>{"probability_better", "probability_better",
                                                    Wire::known, Csv{11}},
      Row<kDecision, &Decision::within_noise>{"within_noise", "within_noise", Wire::value, Csv{12}},
      Row<&DecisionRecord::id>{"id", "decision_id", Wire::known, Csv{1}, Kept::text},
      Row<&DecisionRecord::made_at>{"made_at", "made_at", Wire::time, Csv{2}},
      // Each side is an object in JSON, and three columns of the store.
      Row<kBefore>{.key = "before", .wire = Wire::known},
      Row<kBefore, &DecisionSide::what>{.column = "before", .csv = {3, "before"}},
      Row<kBefore, &DecisionSide::scores>{"before_scores"},
      Row<kBefore, &DecisionSide::executions>{"before_executions"},
      Row<kAfter>{.key = "after", .wire = Wire::known},
      Row<kAfter, &DecisionSide::what>{.column = "after", .csv = {4, "after"}},
      Row<kAfter, &DecisionSide::scores>{"after_scores"},
      Row<kAfter, &DecisionSide::executions>{"after_executions"},
      Row<&DecisionRecord::rubric>{"rubric", "rubric", Wire::known, Csv{14}},
      Row<&DecisionRecord::rubric_hash>{"rubric_hash", "rubric_hash", Wire::known, {}, Kept::text},
  };
}();
static_assert(has_row_for_each<fitness::DecisionRecord>());

}  // namespace vibe::base
