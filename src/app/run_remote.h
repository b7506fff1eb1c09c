// Runs a suite on a server: everything that can be known here is checked before anything is sent,
// the runs are followed as they go on, and in the end they are what local ones would be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/local.h"
#include "app/prepare_run.h"
#include "app/run_suite.h"
#include "base/diagnostic.h"

namespace vibe::app {

struct RemoteRuns {
  // As of local runs, but that nobody is opened: who answers is the business of the server. Of an
  // earlier run there is neither suite nor plan.
  Prepared prepared;
  std::vector<std::string> bodies;  // what is sent to start each of them
  std::string path;                 // of the suite's file; empty: none
  base::Diagnostics found;          // warnings that are known, and are no news from the server
};

// `local` has a server. Warnings and errors go to `out`; nothing if there was an error.
std::optional<RemoteRuns> prepare_remote(const RunRequest& request, Local& local,
                                         base::Diagnostics& out);

// Queues them, and gives them their ids. False, and errors in `out`: none of them is queued.
bool start_remote(RemoteRuns& runs, Local& local, base::Diagnostics& out);

// Follows those that were started to their end. What cannot be had, since the server is out of
// reach for too long or refuses the key by now, is left out, and errors say what becomes of it.
std::vector<FinishedRun> follow_remote(const RemoteRuns& runs, Local& local, Watcher& watcher,
                                       base::Diagnostics& out);

}  // namespace vibe::app
