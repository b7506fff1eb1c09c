// Scores what agents did, from their logs, by a rubric.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/read_executions.h"
#include "base/diagnostic.h"
#include "fitness/rubric.h"
#include "fitness/score.h"

namespace vibe::app {

struct ScoreExecutionsRequest {
  ReadRequest read;                                    // its patterns are those of the rubric
  std::optional<std::string> rubric;                   // a file; else the one that is built in
  std::shared_ptr<const fitness::Rubric> loaded = {};  // it, where it was read already
  std::optional<std::string> output;  // a file with the final answer of the only session
  fitness::Given given;
};

struct ScoredExecutions {
  std::shared_ptr<const fitness::Rubric> rubric;  // null: it cannot be used
  // As they were read; but type and complexity of the task, and the answer's structure, are those
  // by which it was scored.
  std::vector<fitness::Scored> all;
  std::optional<std::string> newest;  // the log that was taken, where none was named: `~/…`
  base::Diagnostics diagnostics;      // what was scored stands beside what could not be read
};

ScoredExecutions score_executions(const ScoreExecutionsRequest& request);

}  // namespace vibe::app
