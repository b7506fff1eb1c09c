// Executions of agents as people and programs read them: a table of sessions, the timeline of
// their calls, JSON and JSON lines. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/run.h"
#include "trace/execution.h"

namespace vibe::report {

// Of a session: its id, or else the name of its file.
std::string name_of(std::string_view id, std::string_view file);
std::string name_of(const trace::Execution& execution);

// Each note once, with the sessions that it is about, below a table; empty without a note.
struct Noted {
  std::string name;
  std::vector<std::string> notes;
};
std::string notes_below(std::span<const Noted> sessions);

// A row for each session, the sum of several, and what was odd about each.
std::string execution_table(std::span<const trace::Execution> executions, const TextStyle& style);
// Each session with its calls, in their order; failures and refusals are marked.
std::string timelines(std::span<const trace::Execution> executions, const TextStyle& style);

std::string executions_json(std::span<const trace::Execution> executions);  // an array, with calls
std::string executions_jsonl(std::span<const trace::Execution> executions, bool with_calls);

}  // namespace vibe::report
