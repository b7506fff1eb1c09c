#include "app/agents/fitness_trend.h"

#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/agents/execution_scores.h"
#include "app/agents/rubric.h"
#include "app/workspace.h"
#include "base/text.h"
#include "fitness/record.h"

namespace vibe::app {

namespace {

struct Found {
  std::shared_ptr<const fitness::Rubric> rubric;
  ExecutionScores scores;
  std::vector<std::string> versions;  // to compare, in order of first appearance
};

Found read_logs(const ScoreExecutionsRequest& scoring, base::Diagnostics& out) {
  auto [scores, logs] = scores_of_logs(scoring);
  out.append(logs.diagnostics);
  if (out.failed()) return {};
  return {logs.rubric, std::move(scores), {}};
}

Found read_kept(store::Executions& kept, const TrendRequest& request, base::Diagnostics& out) {
  Found found;
  found.rubric = load_rubric(request.scoring.rubric, out);
  if (!found.rubric) return found;
  auto scores =
      scores_of_agent(kept, *request.agent, request.scoring.rubric ? found.rubric.get() : nullptr);
  if (failed(scores, out)) return found;
  found.scores = *std::move(scores);
  const auto [name, version] = fitness::agent_query(*request.agent);
  if (version) return found;  // the user chose one
  auto versions = kept.versions(name);
  if (!versions) out.append(versions.error());
  if (versions) found.versions = *std::move(versions);
  return found;
}

FitnessTrend trend_of(const TrendRequest& request, Found found, base::Diagnostics problems) {
  FitnessTrend out{std::nullopt, std::move(problems)};
  auto& [rubric, scores, versions] = found;
  if (out.diagnostics.failed()) return out;
  const std::string what =
      request.agent ? fmt::format("`{}`", base::printable(*request.agent)) : "the logs";
  check_scored(scores, what, out.diagnostics);
  if (out.diagnostics.failed()) return out;
  warn_of_mixed({&scores}, *rubric, out.diagnostics);
  fitness::Trend& trend = out.trend.emplace();
  trend.aggregate = fitness::aggregate(scores.values(), rubric->aggregation).value();
  warn_of_little(scores, trend.aggregate, what, out.diagnostics);
  trend.grade = rubric->grade_of(trend.aggregate.value).name;
  trend.versions = fitness::compare_versions(scores.all, versions, *rubric);
  trend.entries = std::move(scores.all);
  trend.unscored = scores.unscored;
  trend.rubric = rubric->name;
  return out;
}

}  // namespace

FitnessTrend fitness_trend(const TrendRequest& request) {
  base::Diagnostics problems;
  Found found;
  if (!request.agent)
    found = read_logs(request.scoring, problems);
  else if (const auto workspace = open_workspace(problems, request.overrides, Need::reading))
    found = read_kept(workspace->archive().executions(), request, problems);
  return trend_of(request, std::move(found), std::move(problems));
}

FitnessTrend agent_trend(store::Executions& kept, const std::string& agent) {
  const TrendRequest request{.scoring = {}, .agent = agent};
  base::Diagnostics problems;
  Found found = read_kept(kept, request, problems);
  return trend_of(request, std::move(found), std::move(problems));
}

}  // namespace vibe::app
