// Executions: the scored executions of agents that were kept: one of them, and how scores went. Not
// thread-safe: a store belongs to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/agents/keeper.h"
#include "app/runs/history.h"
#include "app/workspace.h"
#include "base/diagnostic.h"
#include "fitness/record.h"
#include "store/archive.h"

namespace vibe::app {

// How many executions are kept at a time, and the most that a server takes in one log.
inline constexpr std::size_t kMostTogether = 10'000;

// What was scored, as it is kept. `agent` is whose executions they are; else each is that of the
// agent that its log names.
class ExecutionRecords {
 public:
  ExecutionRecords(std::optional<fitness::AgentVersion> agent, store::Millis now)
      : agent_(std::move(agent)), now_(now) {}

  void add(const fitness::Scored& scored, const fitness::Rubric& rubric);
  std::span<const fitness::ScoredExecution> all() const { return all_; }
  void clear() { all_.clear(); }

 private:
  std::optional<fitness::AgentVersion> agent_;
  store::Millis now_;
  const fitness::Rubric* rubric_ = nullptr;  // that `hash_` is of
  std::string hash_;
  std::vector<fitness::ScoredExecution> all_;
};

// The same whatever folder a log is read from; empty for standard input.
std::string place_of(const std::string& file);

// Keeps executions as they are scored, in the workspace of the user, which is opened at the first
// of them. What cannot be kept is a problem, and the end of it. Belongs to one thread.
class ExecutionKeeper {
 public:
  ExecutionKeeper(bool is_rubric_given, KeeperSettings settings, config::Overrides overrides)
      : is_rubric_given_(is_rubric_given),
        settings_(std::move(settings)),
        overrides_(std::move(overrides)) {}

  void add(const fitness::Scored& scored, const fitness::Rubric& rubric);
  base::Diagnostics finish();  // what went wrong

 private:
  bool open();
  void note(const base::Result<void>& kept);

  bool is_rubric_given_, failed_ = false;
  KeeperSettings settings_;
  config::Overrides overrides_;
  base::Diagnostics problems_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Keeper> keeper_;
};

// By id, by the beginning of one, or `last`; Code::not_found with what to do next.
base::Result<fitness::ScoredExecution> find_execution(store::Executions& kept, std::string_view id);

// Of each version of an agent among the executions, in the order of their appearance: the last
// scores that are kept of it.
base::Result<std::vector<Trend>> version_trends(
    store::Executions& kept, std::span<const fitness::ScoredExecution> executions);

}  // namespace vibe::app
