// Scored executions and decisions about versions of agents, as people read them: tables, a comment
// for a pull request, and a page for browsers. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "fitness/record.h"
#include "report/run.h"
#include "store/archive.h"

namespace vibe::report {

using store::Millis;

// `reviewer@v2`, `(unknown agent)`; as a terminal can show it.
std::string show_agent(const fitness::AgentVersion& agent);
// `78.00`, `N/A`; and signals, `0.90`.
std::string show_points(const std::optional<double>& points);

std::string scored_table(std::span<const fitness::ScoredExecution> executions, Millis now,
                         const TextStyle& style);
// One of them in full.
std::string scored_details(const fitness::ScoredExecution& scored);

// What files about executions are made from; refers to what it was given.
struct ScoredReport {
  std::span<const fitness::ScoredExecution> executions;  // newest first
  std::size_t total = 0;                                 // of which these are a part
  std::string about;                                     // `reviewer@v2`; empty: all
  std::string version;                                   // of the program
};
// At most so many bytes; what is left out is said at the end.
std::string scored_markdown(const ScoredReport& report);
std::string scored_html(const ScoredReport& report);

// The executions of one version of an agent, in the order of their first appearance.
struct VersionGroup {
  fitness::AgentVersion agent;
  std::vector<const fitness::ScoredExecution*> executions;  // as they were given
};
std::vector<VersionGroup> group_by_version(std::span<const fitness::ScoredExecution> executions);

std::string decision_table(std::span<const fitness::DecisionRecord> decisions, Millis now,
                           const TextStyle& style);

}  // namespace vibe::report
