// Record: a scored execution and a decision about a changed agent, as stored and shown. Plain data,
// safe to copy.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fitness/decide.h"
#include "fitness/score.h"
#include "fitness/signals.h"
#include "trace/execution.h"

namespace vibe::fitness {

using Millis = std::int64_t;  // since 1970, UTC

// An agent (or a prompt) and its version: `reviewer@v2`. Either may be empty: not known.
struct AgentVersion {
  std::string agent, version;
  bool operator==(const AgentVersion&) const = default;
};
// `reviewer@v2`, `reviewer`; split at the last `@` that is not the first character, so that
// `@acme/reviewer` is a name.
AgentVersion agent_version(std::string_view text);

// Selects executions: `reviewer` in any version; `reviewer@v2`; `reviewer@` without a version.
struct AgentQuery {
  std::string agent;
  std::optional<std::string> version;  // none: any
};
AgentQuery agent_query(std::string_view text);

std::string to_string(const AgentVersion& agent);

// The value of each signal, in the order of kSignals; none: undefined.
using SignalFigures = std::array<std::optional<double>, kSignals.size()>;

struct ScoredExecution {
  std::string id;  // UUID, version 7
  AgentVersion agent;
  Millis scored_at = 0;
  // Without calls, prompt and output; the notes include those of the score.
  trace::Execution execution;
  TaskType task_type = TaskType::other;
  Complexity complexity = Complexity::medium;
  SignalFigures signals;
  std::optional<double> score;
  std::string error;  // why there is no score
  std::string grade, meaning;
  std::string rubric, rubric_hash;  // its name, and the hash of its text (base/crypto.h)

  // The time it is listed under: its end, or else when it was scored.
  Millis time() const;
  bool operator==(const ScoredExecution&) const = default;
};

// The record to store, except id, time and rubric hash, which the caller fills in. The agent comes
// from the log; its version is unknown.
ScoredExecution record_of(const Scored& scored, const Rubric& rubric);

// The data behind one side of a decision.
struct DecisionSide {
  std::string what;                     // as the user wrote it: `78.5`, `logs/old`, `reviewer@v1`
  std::vector<double> scores;           // newest first; for a number, the number itself
  std::vector<std::string> executions;  // stored ids, or ids of the sessions read
  bool operator==(const DecisionSide&) const = default;
};

struct DecisionRecord {
  std::string id;  // UUID, version 7
  Millis made_at = 0;
  Decision decision;
  DecisionSide before, after;
  std::string rubric, rubric_hash;
};

}  // namespace vibe::fitness
