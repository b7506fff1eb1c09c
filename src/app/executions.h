// Executions: the scored executions of agents that were kept: one of them, and how scores went. Not
// thread-safe: a store belongs to one thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/history.h"
#include "app/local.h"
#include "base/diagnostic.h"
#include "fitness/record.h"
#include "store/store.h"

namespace vibe::remote {
class Server;
}

namespace vibe::app {

// Keeps what was scored, all of it or nothing; the ids. `agent` is whose executions they are; else
// each is that of the agent that its log names.
base::Result<std::vector<std::string>> keep_executions(
    store::Store& store, std::span<const fitness::Scored> executions, const fitness::Rubric& rubric,
    const std::optional<fitness::AgentVersion>& agent, store::Millis now);

// The same on a server, which scores them again by its own rubric: it believes nobody's scores.
base::Result<void> send_executions(remote::Server& server,
                                   std::span<const fitness::Scored> executions,
                                   const std::optional<fitness::AgentVersion>& agent);

// Either of these, wherever `local` keeps things. A server keeps no scores by a rubric that was
// given: Code::bad_usage.
base::Result<void> keep_executions(Local& local, std::span<const fitness::Scored> executions,
                                   const fitness::Rubric& rubric, bool is_rubric_given,
                                   const std::optional<fitness::AgentVersion>& agent,
                                   store::Millis now);

// By id, by the beginning of one, or `last`; Code::not_found with what to do next.
base::Result<fitness::ScoredExecution> find_execution(store::Store& store, std::string_view id);

// Of each version of an agent among the executions, in the order of their appearance: the last
// scores that are kept of it.
base::Result<std::vector<Trend>> version_trends(
    store::Store& store, std::span<const fitness::ScoredExecution> executions);

}  // namespace vibe::app
