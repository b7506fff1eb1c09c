// Executions: stored, scored agent executions: finding one, and the course of scores. Not
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

// How many executions are stored at a time, and the most that a server accepts in one log.
inline constexpr std::size_t kMostTogether = 10'000;

// Scored executions as records to store. `agent` overrides the agent named in the logs.
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
  const fitness::Rubric* rubric_ = nullptr;  // the rubric of `hash_`
  std::string hash_;
  std::vector<fitness::ScoredExecution> all_;
};

// The absolute path of a log, the same from any working folder; empty for standard input.
std::string place_of(const std::string& file);

// Stores executions as they are scored, in the user's workspace, which is opened for the first one.
// It stops at the first that cannot be stored and reports the problem. Belongs to one thread.
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

// By id, by the beginning of an id, or `last`; Code::not_found with a hint.
base::Result<fitness::ScoredExecution> find_execution(store::Executions& kept, std::string_view id);

// The last stored scores of each agent version among the executions, in order of appearance.
base::Result<std::vector<Trend>> version_trends(
    store::Executions& kept, std::span<const fitness::ScoredExecution> executions);

}  // namespace vibe::app
