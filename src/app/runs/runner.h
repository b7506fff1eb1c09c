// Runner: prepares, starts and follows the runs of a command, on this machine or on a server.
// Belongs to one thread and one command.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/runs/prepare_run.h"
#include "app/runs/run_suite.h"
#include "base/diagnostic.h"

namespace vibe::app {

class Runner {
 public:
  virtual ~Runner() = default;

  // Checks everything that can be checked before anything is sent. Warnings and errors go to `out`;
  // nothing if there was an error. For a server, no models are opened here: the server opens them.
  virtual std::optional<Prepared> prepare(const RunRequest& request, base::Diagnostics& out) = 0;
  // Gives the runs of all suites their ids. False, with errors in `out`: the runs are not started;
  // of several on this machine, those before the failed one end as interrupted.
  virtual bool start(std::span<Prepared> suites, base::Diagnostics& out) = 0;
  // Follows the started runs of all suites to their end. Runs that can no longer be followed are
  // left out, and errors say what becomes of them.
  virtual std::vector<FinishedRun> follow(std::span<Prepared> suites, Watcher& watcher,
                                          base::Diagnostics& out) = 0;
  // Whether started runs continue when this process ends.
  virtual bool is_detached() const = 0;
};

}  // namespace vibe::app
