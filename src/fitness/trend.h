// Trend: the scores of executions over time, their aggregate, and a comparison of an agent's
// versions. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fitness/aggregate.h"
#include "fitness/rubric.h"
#include "score/interval.h"
#include "trace/execution.h"

namespace vibe::fitness {

struct TrendEntry {
  std::string id;       // of the session; empty: not in the log
  std::string file;     // the log
  std::string kept_id;  // id in the store; empty: read from the log
  std::string version;  // of the agent, if stored
  std::optional<trace::Time> ended;
  double score = 0;
  std::string grade;
};

struct VersionTrend {
  std::string version;     // empty: not known
  std::size_t scores = 0;  // executions with a score
  double value = 0;        // the aggregate
  std::optional<score::Interval> interval;
  std::optional<double> delta;               // to the version before, to two decimals
  std::optional<double> probability_better;  // than the version before
};

struct Trend {
  std::vector<TrendEntry> entries;  // newest first
  std::size_t unscored = 0;         // executions without a score, not in `entries`
  Aggregate aggregate;
  std::string grade;                   // of the aggregate
  std::vector<VersionTrend> versions;  // in order of first appearance
  std::string rubric;                  // its name
};

// Compares each version that has a score with the one before it. `versions` are in order, `entries`
// newest first.
std::vector<VersionTrend> compare_versions(std::span<const TrendEntry> entries,
                                           std::span<const std::string> versions,
                                           const Rubric& rubric);

}  // namespace vibe::fitness
