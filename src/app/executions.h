// Executions: the scored executions of agents that were kept: one of them, and how scores went. Not
// thread-safe: a store belongs to one thread.
#pragma once

#include <cstddef>
#include <map>
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

// Keeps executions as they are scored, wherever the user keeps things: in a store, all of
// kMostTogether or none of them, or on a server, which scores them again by its own rubric: it
// believes nobody's scores. A server keeps no scores by a rubric that was given: Code::bad_usage.
// What cannot be kept is a problem, and the end of it. Belongs to one thread.
class ExecutionKeeper {
 public:
  ExecutionKeeper(bool is_rubric_given, std::optional<fitness::AgentVersion> agent,
                  store::Millis now);
  ~ExecutionKeeper();
  ExecutionKeeper(const ExecutionKeeper&) = delete;
  ExecutionKeeper& operator=(const ExecutionKeeper&) = delete;

  void add(const fitness::Scored& scored, const fitness::Rubric& rubric);
  base::Diagnostics finish();  // what went wrong

 private:
  bool open();  // at the first execution
  void add_line(const trace::Execution& execution);
  void keep();
  void send();

  bool is_rubric_given_, failed_ = false;
  std::optional<fitness::AgentVersion> agent_;
  base::Diagnostics problems_;
  std::optional<Local> local_;
  ExecutionRecords records_;  // that are not kept yet
  store::ExecutionPlaces places_;
  std::map<std::string, std::string> lines_;  // of JSON, that are not sent yet, by file
  std::size_t line_count_ = 0, byte_count_ = 0;
  std::optional<std::string> unnamed_in_;  // the file of the last execution without an id
};

// By id, by the beginning of one, or `last`; Code::not_found with what to do next.
base::Result<fitness::ScoredExecution> find_execution(store::Store& store, std::string_view id);

// Of each version of an agent among the executions, in the order of their appearance: the last
// scores that are kept of it.
base::Result<std::vector<Trend>> version_trends(
    store::Store& store, std::span<const fitness::ScoredExecution> executions);

}  // namespace vibe::app
