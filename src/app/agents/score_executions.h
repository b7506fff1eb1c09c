// Scores what agents did, from their logs, by a rubric.
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
  ReadRequest read;  // its patterns are those of the rubric; where it ends, so does the scoring
  std::optional<std::string> rubric;                   // a file; else the one that is built in
  std::shared_ptr<const fitness::Rubric> loaded = {};  // it, where it was read already
  std::optional<std::string> output;  // a file with the final answer of the only session
  fitness::Given given;
};

struct ScoredLogs {
  std::shared_ptr<const fitness::Rubric> rubric;  // null: it cannot be used
  std::size_t count = 0;                          // executions that were scored
  std::optional<std::string> newest;  // the log that was taken, where none was named: `~/…`
  base::Diagnostics diagnostics;      // what was scored stands beside what could not be read
};

// Executions are as they were read; but type and complexity of the task, and the answer's
// structure, are those by which it was scored.
using UseScored = std::function<void(fitness::Scored, const fitness::Rubric&)>;

// `use` gets them one after the other, in their order, on the caller's thread: a log may have more
// than should be held at a time.
ScoredLogs score_executions(const ScoreExecutionsRequest& request, const UseScored& use);

}  // namespace vibe::app
