#include "fitness/trend.h"

#include <utility>

#include "fitness/decide.h"

namespace vibe::fitness {

std::vector<VersionTrend> compare_versions(std::span<const TrendEntry> entries,
                                           std::span<const std::string> versions,
                                           const Rubric& rubric) {
  std::vector<VersionTrend> out;
  std::vector<double> before;
  for (const std::string& version : versions) {
    std::vector<double> scores;
    for (const TrendEntry& entry : entries)
      if (entry.version == version) scores.push_back(entry.score);
    const auto found = aggregate(scores, rubric.aggregation);
    if (!found) continue;
    VersionTrend& one = out.emplace_back();
    one.version = version;
    one.scores = scores.size();
    one.value = found->value;
    one.interval = found->interval;
    if (!before.empty()) {
      const Decision change = decide(before, scores, rubric, kAggregateSeed);
      one.delta = change.delta;
      one.probability_better = change.probability_better;
    }
    before = std::move(scores);
  }
  return out;
}

}  // namespace vibe::fitness
