// Runs what was prepared: every result is in the store before it is shown, and the runs are
// finished with their metrics and scores however they end, unless they are handed over.
#pragma once

#include <span>
#include <vector>

#include "app/prepare_run.h"
#include "run/run.h"

namespace vibe::app {

// Who watches. Called on the caller's thread.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void on_start(std::span<const PreparedModel> runs) = 0;  // they have their ids now
  virtual void on_result(std::size_t run, const score::Result& result) = 0;
  virtual void on_tick() = 0;              // every now and then, at least ten times a second
  virtual bool wants_to_stop() const = 0;  // the user pressed Ctrl-C
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

// Nothing, and errors in `out`, if the runs could not even be started.
std::vector<FinishedRun> run_suite(Prepared& prepared, Local& local, std::string_view version,
                                   Watcher& watcher, base::Diagnostics& out);

}  // namespace vibe::app
