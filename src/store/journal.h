// Journal: what runners and scorers write. Every write about a run carries a Hold; a write with an
// expired one gets Code::lease_lost and changes nothing. Every call is all or nothing. Belongs to
// one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "fitness/record.h"
#include "score/measured.h"
#include "score/run.h"

namespace vibe::store {

// Permission to write to a run, as plain data: any journal of the same organisation accepts it.
struct Hold {
  std::string run;  // its id
  // The token of a queue claim; 0: a lock of this process holds the run (HeldRun), which the
  // journal does not check.
  std::int64_t token = 0;
};

// Released when its process ends, however it ends.
class RunLock {
 public:
  virtual ~RunLock() = default;
};

struct HeldRun {
  Hold hold;
  std::unique_ptr<RunLock> lock;  // keep it while the run is worked on
};

// The number of executions stored so far for one session and start, by a hash of what identifies
// them.
using ExecutionPlaces = std::unordered_map<std::size_t, std::int64_t>;

class Journal {
 public:
  virtual ~Journal() = default;

  virtual base::Result<HeldRun> begin(const score::Run& run) = 0;
  // Reopens a finished run. Code::run_held: another process works on it, or it is in the queue.
  virtual base::Result<HeldRun> take_up(std::string_view run) = 0;
  // Writes everything but its results. A run that is written as finished leaves the queue; until
  // then it has no measured figures.
  virtual base::Result<void> write(const Hold& hold, const score::Run& run,
                                   const score::Measured& measured) = 0;
  virtual base::Result<void> add(const Hold& hold, const score::Result& result) = 0;  // or replace
  virtual base::Result<bool> stop_requested(std::string_view run) = 0;
  // Marks runs as failed whose process is gone; queued runs wait for another worker instead.
  // Returns the number of marked runs.
  virtual base::Result<std::size_t> mark_interrupted() = 0;
  // Finished runs with results that nobody has measured: their process was killed, or an older
  // version stored them. At most `most` ids, newest first.
  virtual base::Result<std::vector<std::string>> unmeasured(std::size_t most) = 0;
  // Adds what was measured of a finished run. Does nothing if the run is not, or no longer,
  // unmeasured; an empty `measured` means that it cannot be measured.
  virtual base::Result<void> add_measured(std::string_view run,
                                          const score::Measured& measured) = 0;

  // Of a finished run whose score is stored. Does nothing if the run has been resumed since.
  virtual base::Result<void> add_certainty(std::string_view run,
                                           const score::Certainty& certainty) = 0;

  // Stores all or none. An execution replaces a stored one, and keeps its id, if agent, version,
  // session id (or file, if the log has no session id) and start are the same; if only the scoring
  // time differs, the stored one is unchanged. (Benchmark logs name tasks instead of sessions: the
  // start separates the attempts.) Several executions with the same session and start are
  // distinguished by their order. One with neither session nor file is always new. Returns the ids,
  // in order.
  base::Result<std::vector<std::string>> keep_executions(
      std::span<const fitness::ScoredExecution> executions) {
    ExecutionPlaces places;
    return keep_some(executions, places);
  }
  // For very many executions, in parts; pass the same `places` to each.
  virtual base::Result<std::vector<std::string>> keep_some(
      std::span<const fitness::ScoredExecution> executions, ExecutionPlaces& places) = 0;
  virtual base::Result<void> add_decision(const fitness::DecisionRecord& decision) = 0;
};

}  // namespace vibe::store
