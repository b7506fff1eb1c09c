// Scored executions and decisions about agent versions: as tables, as a pull request comment, and
// as an HTML page. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "fitness/record.h"
#include "report/run.h"
#include "store/archive.h"

namespace vibe::report {

using store::Millis;

// `reviewer@v2`, `(unknown agent)`; printable on a terminal.
std::string show_agent(const fitness::AgentVersion& agent);
// `78.00`, `N/A`; and signals, `0.90`.
std::string show_points(const std::optional<double>& points);

std::string scored_table(std::span<const fitness::ScoredExecution> executions, Millis now,
                         const TextStyle& style);
// One execution in full.
std::string scored_details(const fitness::ScoredExecution& scored);

// The data behind files about executions; refers to data that the caller owns.
struct ScoredReport {
  std::span<const fitness::ScoredExecution> executions;  // newest first
  std::size_t total = 0;                                 // of stored executions; these are a part
  std::string about;                                     // `reviewer@v2`; empty: all
  std::string version;                                   // of the program
};
// Limited in size; a note at the end says what is left out.
std::string scored_markdown(const ScoredReport& report);
std::string scored_html(const ScoredReport& report);

// The executions of one agent version. Groups are in order of first appearance.
struct VersionGroup {
  fitness::AgentVersion agent;
  std::vector<const fitness::ScoredExecution*> executions;  // in the given order
};
std::vector<VersionGroup> group_by_version(std::span<const fitness::ScoredExecution> executions);

std::string decision_table(std::span<const fitness::DecisionRecord> decisions, Millis now,
                           const TextStyle& style);

}  // namespace vibe::report
