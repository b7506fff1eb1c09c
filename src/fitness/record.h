// Record: a scored execution and a decision about a changed agent, as they are kept and shown.
// Plain data, safe to copy.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "fitness/decide.h"
#include "fitness/score.h"
#include "fitness/signals.h"
#include "trace/execution.h"

namespace vibe::fitness {

using Millis = std::int64_t;  // since 1970, UTC

// An agent, or a prompt, and which version of it: `reviewer@v2`. Either may be empty: not known.
struct AgentVersion {
  std::string agent, version;
  bool operator==(const AgentVersion&) const = default;
};
// `reviewer@v2`, `reviewer`; split at the last `@` that is not the first character, so that
// `@acme/reviewer` is a name.
AgentVersion agent_version(std::string_view text);

// Whose executions are asked for: `reviewer`, in any version; `reviewer@v2`; `reviewer@`, those
// without a version.
struct AgentQuery {
  std::string agent;
  std::optional<std::string> version;  // none: any
};
AgentQuery agent_query(std::string_view text);

std::string to_string(const AgentVersion& agent);

// Of each signal, by its place in kSignals; none: undefined.
using SignalFigures = std::array<std::optional<double>, kSignals.size()>;

struct ScoredExecution {
  std::string id;  // UUID, version 7
  AgentVersion agent;
  Millis scored_at = 0;
  trace::Execution
      execution;  // without calls, prompt and output; its notes are those of the score, too
  TaskType task_type = TaskType::other;
  Complexity complexity = Complexity::medium;
  SignalFigures signals;
  std::optional<double> score;
  std::string error;  // why there is no score
  std::string grade, meaning;
  std::string rubric, rubric_hash;  // its name, and the hash of its text (base/crypto.h)

  // When it counts as having happened: its end, or else when it was scored.
  Millis time() const;
  bool operator==(const ScoredExecution&) const = default;
};

// As it is kept, without what the keeper knows: id, time and hash of the rubric. The agent is that
// of the log, its version not known.
ScoredExecution record_of(const Scored& scored, const Rubric& rubric);

// What one side of a decision was made of.
struct DecisionSide {
  std::string what;                     // as it was named: `78.5`, `logs/old`, `reviewer@v1`
  std::vector<double> scores;           // newest first; of a number itself
  std::vector<std::string> executions;  // ids of those kept, or the sessions read
  bool operator==(const DecisionSide&) const = default;
};

struct DecisionRecord {
  std::string id;  // UUID, version 7
  Millis made_at = 0;
  Decision decision;
  DecisionSide before, after;
  std::string rubric, rubric_hash;
};

// The keys of one object, between its braces.
void write_json(base::JsonWriter& json, const ScoredExecution& scored);
void write_json(base::JsonWriter& json, const DecisionRecord& record);

}  // namespace vibe::fitness
