// Signals: the figures of one execution that a rubric's formula can use, one row each. An unknown
// signal is absent, never 0 or 1, and says why. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fitness/heuristics.h"
#include "fitness/rubric.h"
#include "formula/names.h"
#include "trace/execution.h"

namespace vibe::fitness {

enum class Signal : std::uint8_t {
  tool_success_rate,
  completeness,
  accuracy,
  output_quality,
  time_efficiency,
  tool_efficiency,
  efficiency,
  error_count,
  error_rate,
  structure_score,
};

// Names, ranges and meanings, for the formula of a rubric.
inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();
inline constexpr std::array kSignals{
    formula::Figure{"tool_success_rate", 0, 1, "successful calls / calls with a known outcome"},
    formula::Figure{"completeness", 0, 1,
                    "what the answer contains: a direct answer, code, explanation, next steps"},
    formula::Figure{"accuracy", 0, 1, "code that parses, no obvious error, the requested form"},
    formula::Figure{"output_quality", 0, 1, "(completeness + accuracy) / 2"},
    formula::Figure{"time_efficiency", 0, 1, "1 - active seconds / expected seconds"},
    formula::Figure{"tool_efficiency", 0, 1, "1 - tool calls / expected calls"},
    formula::Figure{"efficiency", 0, 1,
                    "`time_efficiency` if the time is known, else `tool_efficiency`; the rubric's "
                    "`efficiency` can change this"},
    formula::Figure{"error_count", 0, kNoLimit,
                    "failed calls, repeats, retries, corrections, other errors that the log "
                    "counts, error lines in the answer, and a run that ended with an error"},
    formula::Figure{"error_rate", 0, 1, "error_count / `most_errors` in the rubric, at most 1"},
    formula::Figure{"structure_score", 0, 1, "headers, lists and code blocks in the answer"},
};

struct Task {
  TaskType type = TaskType::other;
  Complexity complexity = Complexity::medium;
  // Why: `the log says so`, `a tool that writes files was called`.
  std::string type_from, complexity_from;
};
// The user's choice comes first, then the log, then the evidence.
Task task_of(const trace::Execution& execution, const AnswerFindings& answer,
             std::optional<TaskType> type, std::optional<Complexity> complexity);

struct SignalValue {
  std::optional<double> value;
  std::string why;                    // why there is no value; empty if there is one
  std::vector<std::string> evidence;  // for people; few, short
};
using Signals = std::array<SignalValue, kSignals.size()>;

inline const SignalValue& value_of(const Signals& signals, Signal id) {
  return signals[static_cast<std::size_t>(id)];
}

// `answer` describes execution.output; without an output its signals are absent. Failed calls are
// named if the execution has its list of calls.
Signals measure(const trace::Execution& execution, const AnswerFindings& answer, const Task& task,
                const Rubric& rubric);

}  // namespace vibe::fitness
