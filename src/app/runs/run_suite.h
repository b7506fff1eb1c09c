// Runs what was prepared: every result is in the store before it is shown, and the runs are
// finished with their metrics and scores however they end, unless they are handed over.
#pragma once

#include <span>
#include <vector>

#include "app/runs/prepare_run.h"
#include "run/run.h"
#include "score/run_watcher.h"

namespace vibe::app {

// Watches runs from their start to their end.
class Watcher : public score::RunWatcher {
 public:
  virtual void on_start(std::span<const PreparedModel> runs) = 0;  // they have their ids now
  // No other sample is to be begun: somebody else goes on with the run. Those in flight finish
  // until there is a wish to stop.
  virtual bool hands_over() const { return false; }
  // No more results come; the run is about to be finished, or handed over. An error: it is not.
  virtual base::Result<void> before_end() { return {}; }
  // The store could not keep something. True, after a pause: it is tried again.
  virtual bool wants_retry(const base::Diagnostics& /*problem*/) { return false; }
};

struct FinishedRun {
  score::Run run;                      // still `running` where somebody else goes on with it
  std::vector<score::Result> results;  // those kept, in the order of the plan
  score::Score score;
  base::Diagnostics problems;  // what could not be kept
  bool is_kept = false;        // the store has `run`
};

// Puts the runs into the store, where new ones get their ids. False, and errors in `out`: the first
// that could not be kept is not there, nor those after it.
bool start_suite(Prepared& prepared, store::Store& store, base::Diagnostics& out);
// Those that were started, to their end.
std::vector<FinishedRun> run_suite(Prepared& prepared, store::Store& store, Watcher& watcher);

}  // namespace vibe::app
