// What an agent did, alone and scored: every field that is kept has a value of its own, so that a
// test of what is written and read back misses none.
#pragma once

#include <cstddef>
#include <string>

#include "fitness/record.h"

namespace vibe::test {

inline trace::Execution full_session() {
  trace::Execution out;
  out.id = "session";
  out.file = "/logs/a.jsonl";
  out.format = "claude";
  out.agent = "claude-code";
  out.model = "claude-sonnet";
  out.task_type = "coding";
  out.complexity = "simple";
  out.tool_calls = 21;
  out.succeeded = 9;
  out.failed = 2;
  out.refused = 3;
  out.unknown = 7;
  out.unanswered = 4;
  out.orphan_results = 5;
  out.repeats = 6;
  out.api_retries = 8;
  out.corrections = 10;
  out.other_errors = 12;
  out.writes_files = true;
  out.started = 1'000'001;
  out.ended = 5'000'002;
  out.duration = 4.000001;
  out.active = 3.5;
  out.tokens = trace::Tokens{100, 200, 300, 400, true};
  out.cost = 0.1;
  out.cost_is_stated = true;
  out.structure = {true, false, true};
  out.ended_in_error = false;
  out.bad_lines = 11;
  out.notes = {"a note", "tool_success_rate: n/a (no tool calls)"};
  return out;
}

inline fitness::ScoredExecution full_execution(const std::string& id) {
  fitness::ScoredExecution out;
  out.id = id;
  out.agent = {"reviewer", "v2"};
  out.scored_at = 9'000;
  out.execution = full_session();
  out.task_type = fitness::TaskType::analysis;
  out.complexity = fitness::Complexity::complex;
  for (std::size_t i = 0; i < out.signals.size(); ++i)
    if (i != 4) out.signals[i] = 1.0 / static_cast<double>(3 + i);
  out.score = 71.54;
  out.error = "why not";
  out.grade = "B";
  out.meaning = "good, with room to improve";
  out.rubric = "default";
  out.rubric_hash = "abcdef";
  return out;
}

}  // namespace vibe::test
