// Journal: what runners and scorers write. Every write about a run carries a Hold; a write with a
// dead one gets Code::lease_lost and changes nothing. Every call is all or nothing. Belongs to one
// thread.
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
#include "score/run.h"

namespace vibe::store {

// The right to write about a run, as plain data: any journal of the same organisation takes it.
struct Hold {
  std::string run;  // its id
  // Of a claim of the queue; 0: a lock of this process holds it (HeldRun), which the journal does
  // not check.
  std::int64_t token = 0;
};

// Ends with its process, however that ends.
class RunLock {
 public:
  virtual ~RunLock() = default;
};

struct HeldRun {
  Hold hold;
  std::unique_ptr<RunLock> lock;  // to be kept as long as the run is worked on
};

// How many executions were kept so far of one session and start, by a hash of what identifies them.
using ExecutionPlaces = std::unordered_map<std::size_t, std::int64_t>;

class Journal {
 public:
  virtual ~Journal() = default;

  virtual base::Result<HeldRun> begin(const score::Run& run) = 0;
  // Takes up a finished run again. Code::run_held: another process works on it, or the queue has
  // it.
  virtual base::Result<HeldRun> take_up(std::string_view run) = 0;
  // Everything but its results; `figures` (score/figures.h) may be empty. A run that is written as
  // finished leaves the queue with that.
  virtual base::Result<void> write(const Hold& hold, const score::Run& run,
                                   std::string_view figures) = 0;
  virtual base::Result<void> add(const Hold& hold, const score::Result& result) = 0;  // or replace
  virtual base::Result<bool> stop_requested(std::string_view run) = 0;
  // Marks runs as failed whose process is gone; those of the queue wait for another worker
  // instead. Returns how many.
  virtual base::Result<std::size_t> mark_interrupted() = 0;

  // All or none. An execution is replaced, and keeps its id, if one is kept of the same agent,
  // version, session id (file, if the log gives none) and start; if only the time of scoring
  // differs it stays as it is. (Benchmark logs name tasks instead of sessions: the start separates
  // the attempts.) Several of one session and start are separated by their order. One with neither
  // session nor file is always new. Returns the ids, in order.
  base::Result<std::vector<std::string>> keep_executions(
      std::span<const fitness::ScoredExecution> executions) {
    ExecutionPlaces places;
    return keep_some(executions, places);
  }
  // A part of very many; `places` goes from each part to the next.
  virtual base::Result<std::vector<std::string>> keep_some(
      std::span<const fitness::ScoredExecution> executions, ExecutionPlaces& places) = 0;
  virtual base::Result<void> add_decision(const fitness::DecisionRecord& decision) = 0;
};

}  // namespace vibe::store
