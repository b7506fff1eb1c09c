// Executions, tasks and what looking at an answer could have found, made by hand.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "fitness/heuristics.h"
#include "fitness/signals.h"
#include "trace/execution.h"

namespace vibe::fitness {

inline AnswerFindings findings(std::initializer_list<Heuristic> holding) {
  AnswerFindings out;
  for (const Heuristic id : holding) out.rows[static_cast<std::size_t>(id)] = {true, {"seen"}};
  return out;
}

struct Counts {
  std::int64_t calls = 0, succeeded = 0, failed = 0, refused = 0, unknown = 0;
  std::int64_t repeats = 0, api_retries = 0, corrections = 0;
};
inline trace::Execution execution_of(const Counts& counts) {
  trace::Execution out;
  out.tool_calls = counts.calls;
  out.succeeded = counts.succeeded;
  out.failed = counts.failed;
  out.refused = counts.refused;
  out.unknown = counts.unknown;
  out.repeats = counts.repeats;
  out.api_retries = counts.api_retries;
  out.corrections = counts.corrections;
  return out;
}

inline trace::Call failed_call(std::string name) {
  trace::Call out;
  out.name = std::move(name);
  out.outcome = trace::Outcome::failure;
  return out;
}

inline Task task_of(TaskType type, Complexity complexity = Complexity::medium) {
  Task out;
  out.type = type;
  out.complexity = complexity;
  return out;
}

}  // namespace vibe::fitness
