// Runs what was prepared: every result is in the store before it is shown, and the runs are
// finished with their metrics and scores however they end.
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
};

struct FinishedRun {
  score::Run run;
  std::vector<score::Result> results;  // those kept, in the order of the plan
  score::Score score;
  base::Diagnostics problems;  // what could not be kept
};

// Nothing, and errors in `out`, if the runs could not even be started.
std::vector<FinishedRun> run_suite(Prepared& prepared, Local& local, std::string_view version,
                                   Watcher& watcher, base::Diagnostics& out);

}  // namespace vibe::app
