// The scores of executions, newest first: of logs, or of what is kept of an agent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/agents/score_executions.h"
#include "base/diagnostic.h"
#include "fitness/trend.h"
#include "store/archive.h"

namespace vibe::app {

struct RubricName {
  std::string name, hash;  // which tells it from others of the same name
};

struct ExecutionScores {
  std::vector<fitness::TrendEntry> all;  // newest first; those that have a score
  std::vector<bool> little_known;        // of each: it rests on less than half of the weights
  std::size_t unscored = 0;              // the others
  std::vector<RubricName> rubrics;       // by which they were scored, each once
  std::size_t other_signals = 0;  // of those that were scored anew: signals by another rubric

  std::vector<double> values() const;
};

// Of logs, which are read and scored.
struct LogScores {
  ExecutionScores scores;
  ScoredLogs logs;
};
LogScores scores_of_logs(const ScoreExecutionsRequest& request);

// Of what is kept of an agent: `NAME`, in any version; `NAME@VERSION`; `NAME@`, without a version.
// With a rubric, by its formula from the signals that are kept; without, as they were scored.
// Code::not_found where nothing is kept of it.
base::Result<ExecutionScores> scores_of_agent(store::Executions& stored, std::string_view agent,
                                              const fitness::Rubric* rubric);

// Fails where no execution of `what` has a score; warns of those that have none.
void check_scored(const ExecutionScores& scores, std::string_view what, base::Diagnostics& out);
// Warns of those that count, by the weights of their aggregate, though little is known of them.
void warn_of_little(const ExecutionScores& scores, const fitness::Aggregate& aggregate,
                    std::string_view what, base::Diagnostics& out);
// Warns of scores that do not go together, or not with the rubric that judges them.
void warn_of_mixed(const std::vector<const ExecutionScores*>& scores, const fitness::Rubric& rubric,
                   base::Diagnostics& out);

}  // namespace vibe::app
