// Runner: prepares, starts and follows the runs of a command, on this machine or on a server.
// Belongs to one thread and one command.
#pragma once

#include <optional>
#include <vector>

#include "app/runs/prepare_run.h"
#include "app/runs/run_suite.h"
#include "base/diagnostic.h"

namespace vibe::app {

class Runner {
 public:
  virtual ~Runner() = default;

  // Everything that can be checked before anything is asked. Warnings and errors go to `out`;
  // nothing if there was an error. On a server it opens the models: nothing is opened here.
  virtual std::optional<Prepared> prepare(const RunRequest& request, base::Diagnostics& out) = 0;
  // Gives what was prepared last its ids. False, and errors in `out`: the runs are not started; of
  // several on this machine, those before the failed one end as interrupted.
  virtual bool start(Prepared& prepared, base::Diagnostics& out) = 0;
  // To the end of those that were started. Those of which no more can be had are left out, and
  // errors say what becomes of them.
  virtual std::vector<FinishedRun> follow(Prepared& prepared, Watcher& watcher,
                                          base::Diagnostics& out) = 0;
  // Whether started runs continue when this process ends.
  virtual bool is_detached() const = 0;
};

}  // namespace vibe::app
