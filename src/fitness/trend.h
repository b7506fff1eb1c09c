// Trend: the scores of executions in the order of time, what they come to, and how the versions of
// an agent compare. Pure.
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
  std::string id;       // of the session; empty: its log gives none
  std::string file;     // the log
  std::string kept_id;  // in the store; empty: it was read from the log
  std::string version;  // of the agent, where it is kept
  std::optional<trace::Time> ended;
  double score = 0;
  std::string grade;
};

struct VersionTrend {
  std::string version;     // empty: not known
  std::size_t scores = 0;  // executions that have one
  double value = 0;        // the aggregate
  std::optional<score::Interval> interval;
  std::optional<double> delta;               // to the version before, of two decimals
  std::optional<double> probability_better;  // than that
};

struct Trend {
  std::vector<TrendEntry> entries;  // newest first
  std::size_t unscored = 0;         // executions without a score, which are not among them
  Aggregate aggregate;
  std::string grade;                   // of it
  std::vector<VersionTrend> versions;  // in the order in which they first appeared
  std::string rubric;                  // its name
};

// Each version that has a score, against the one before it. `versions` are in their order,
// `entries` newest first.
std::vector<VersionTrend> compare_versions(std::span<const TrendEntry> entries,
                                           std::span<const std::string> versions,
                                           const Rubric& rubric);

}  // namespace vibe::fitness
