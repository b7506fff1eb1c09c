#include "trace/join.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "base/known.h"

namespace vibe::trace {

namespace {

void take_text(std::string& to, std::string& from) {
  if (!from.empty()) to = std::move(from);
}

void join_times(Execution& to, const Execution& from) {
  const bool timed = to.duration && from.duration;
  if (from.started && (!to.started || *from.started < *to.started)) to.started = from.started;
  if (from.ended && (!to.ended || *from.ended > *to.ended)) to.ended = from.ended;
  to.duration.reset();
  if (timed) to.duration = static_cast<double>(*to.ended - *to.started) / 1e6;
  base::add_known(to.active, from.active);
}

void add(Execution& to, Execution from) {
  for (const auto text : {&Execution::id, &Execution::agent, &Execution::model,
                          &Execution::task_type, &Execution::complexity, &Execution::prompt})
    take_text(to.*text, from.*text);
  for (const auto count : {&Execution::tool_calls, &Execution::succeeded, &Execution::failed,
                           &Execution::refused, &Execution::unknown, &Execution::unanswered,
                           &Execution::orphan_results, &Execution::repeats, &Execution::api_retries,
                           &Execution::corrections, &Execution::other_errors})
    to.*count += from.*count;
  to.writes_files = to.writes_files || from.writes_files;
  join_times(to, from);
  if (to.tokens && from.tokens)
    to.tokens->add(*from.tokens);
  else
    to.tokens.reset();
  base::add_known(to.cost, from.cost);
  to.cost_is_stated = to.cost_is_stated && from.cost_is_stated;
  if (!from.output.empty()) {
    to.output = std::move(from.output);
    to.structure = from.structure;
  }
  if (from.ended_in_error) to.ended_in_error = from.ended_in_error;
  to.bad_lines = std::max(to.bad_lines, from.bad_lines);  // both are for the same file
  std::move(from.notes.begin(), from.notes.end(), std::back_inserter(to.notes));
  std::move(from.calls.begin(), from.calls.end(), std::back_inserter(to.calls));
}

}  // namespace

Execution join(std::vector<Execution> sessions) {
  assert(!sessions.empty());
  Execution out = std::move(sessions.front());
  for (std::size_t i = 1; i < sessions.size(); ++i) add(out, std::move(sessions[i]));
  return out;
}

}  // namespace vibe::trace
