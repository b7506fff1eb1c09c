// Runs what was prepared: every result is stored before it is shown, and runs are finished with
// their metrics and scores however they end, unless they are handed over.
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
  // True: start no more samples, another worker resumes the run. Samples in flight may finish until
  // wants_to_stop().
  virtual bool hands_over() const { return false; }
  // Called after the last result, before the run is finished or handed over. An error prevents
  // that.
  virtual base::Result<void> before_end() { return {}; }
  // Something could not be stored. Returns true, after a pause, to try again.
  virtual bool wants_retry(const base::Diagnostics& /*problem*/) { return false; }
};

struct FinishedRun {
  score::Run run;                      // still `running` if another worker resumes it
  std::vector<score::Result> results;  // the stored ones, in the order of the plan
  score::Score score;
  base::Diagnostics problems;  // what could not be stored
  bool is_kept = false;        // the store has `run`
};

// Stores the runs; new ones get their ids. False, with errors in `out`, if one could not be stored:
// neither are those after it.
bool start_suite(Prepared& prepared, store::Store& store, base::Diagnostics& out);
// Runs the started runs to their end, those of several suites side by side.
std::vector<FinishedRun> run_suites(std::span<Prepared> suites, store::Store& store,
                                    Watcher& watcher);
std::vector<FinishedRun> run_suite(Prepared& prepared, store::Store& store, Watcher& watcher);

}  // namespace vibe::app
