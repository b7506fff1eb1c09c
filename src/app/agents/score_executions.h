// Scores executions from agent logs by a rubric.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/agents/read_executions.h"
#include "base/diagnostic.h"
#include "fitness/rubric.h"
#include "fitness/score.h"

namespace vibe::app {

struct ScoreExecutionsRequest {
  ReadRequest read;  // uses the rubric's patterns; stopping it also stops the scoring
  std::optional<std::string> rubric;                   // a file; none: the built-in one
  std::shared_ptr<const fitness::Rubric> loaded = {};  // the rubric, if already read
  std::optional<std::string> output;  // a file with the final answer of the only session
  fitness::Given given;
};

struct ScoredLogs {
  std::shared_ptr<const fitness::Rubric> rubric;  // null: unusable
  std::size_t count = 0;                          // scored executions
  std::optional<std::string> newest;  // the log that was chosen if none was given: `~/…`
  base::Diagnostics diagnostics;      // some logs may fail while others are scored
};

// Executions are as read, except that the task's type and complexity and the answer's structure are
// the values used for scoring.
using UseScored = std::function<void(fitness::Scored, const fitness::Rubric&)>;

// Calls `use` with one execution at a time, in order, on the caller's thread, because a log may
// have more than fit in memory.
ScoredLogs score_executions(const ScoreExecutionsRequest& request, const UseScored& use);

}  // namespace vibe::app
