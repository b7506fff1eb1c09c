// The scores of executions, newest first: from logs, or from the stored executions of an agent.
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
  std::string name, hash;  // distinguishes rubrics with the same name
};

struct ExecutionScores {
  std::vector<fitness::TrendEntry> all;  // those with a score, newest first
  std::vector<bool> little_known;        // for each: it uses less than half of the weights
  std::size_t unscored = 0;              // those without a score
  std::vector<RubricName> rubrics;       // that scored them, each once
  std::size_t other_signals = 0;         // rescored executions whose signals are by another rubric

  std::vector<double> values() const;
};

// Scores of logs that were read and scored.
struct LogScores {
  ExecutionScores scores;
  ScoredLogs logs;
};
LogScores scores_of_logs(const ScoreExecutionsRequest& request);

// The scores of an agent's stored executions: `NAME` in any version; `NAME@VERSION`; `NAME@`
// without a version. With a rubric, its formula is applied to the stored signals; without one, the
// stored scores are used. Code::not_found if nothing is stored.
base::Result<ExecutionScores> scores_of_agent(store::Executions& stored, std::string_view agent,
                                              const fitness::Rubric* rubric);

// Fails if no execution of `what` has a score; warns about those without one.
void check_scored(const ExecutionScores& scores, std::string_view what, base::Diagnostics& out);
// Warns about executions that count in the aggregate although little is known about them.
void warn_of_little(const ExecutionScores& scores, const fitness::Aggregate& aggregate,
                    std::string_view what, base::Diagnostics& out);
// Warns about scores from different rubrics, or from another rubric than the one that judges them.
void warn_of_mixed(const std::vector<const ExecutionScores*>& scores, const fitness::Rubric& rubric,
                   base::Diagnostics& out);

}  // namespace vibe::app
