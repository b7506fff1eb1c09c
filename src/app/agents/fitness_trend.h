// The trend of an agent's scores: what several executions come to, the newest weighing most, and
// how its versions compare.
#pragma once

#include <optional>
#include <string>

#include "app/agents/score_executions.h"
#include "base/diagnostic.h"
#include "config/config.h"
#include "fitness/trend.h"
#include "store/archive.h"

namespace vibe::app {

struct TrendRequest {
  ScoreExecutionsRequest scoring;    // of logs
  std::optional<std::string> agent;  // `NAME[@VERSION]`: of what is kept instead
  config::Overrides overrides = {};
};

struct FitnessTrend {
  std::optional<fitness::Trend> trend;  // none: the diagnostics say why
  base::Diagnostics diagnostics;
};

FitnessTrend fitness_trend(const TrendRequest& request);
// Of what a store keeps of an agent, `NAME[@VERSION]`, as it was scored.
FitnessTrend agent_trend(store::Executions& kept, const std::string& agent);

}  // namespace vibe::app
