// RunWatcher: sees the results of runs as they arrive, here or from a server, and may end the runs.
#pragma once

#include <cstddef>

#include "score/run.h"

namespace vibe::score {

// Called on the thread that runs or follows the run.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  virtual void on_result(std::size_t run, const Result& result) = 0;
  virtual void on_tick() = 0;              // at regular intervals, at least ten times a second
  virtual bool wants_to_stop() const = 0;  // the user pressed Ctrl-C
};

}  // namespace vibe::score
