// The trend of an agent's scores: the aggregate of several executions, in which the newest weigh
// most, and a comparison of its versions.
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
  ScoreExecutionsRequest scoring;    // how logs are read and scored
  std::optional<std::string> agent;  // `NAME[@VERSION]`: use stored executions instead
  config::Overrides overrides = {};
};

struct FitnessTrend {
  std::optional<fitness::Trend> trend;  // none: the diagnostics say why
  base::Diagnostics diagnostics;
};

FitnessTrend fitness_trend(const TrendRequest& request);
// From an agent's stored executions, `NAME[@VERSION]`, with their stored scores.
FitnessTrend agent_trend(store::Executions& kept, const std::string& agent);

}  // namespace vibe::app
