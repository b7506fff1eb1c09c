// Follow: follows the events of runs on a server until they end. A broken connection resumes after
// the last received result, so that no result is lost or repeated, for as long as a server may take
// to restart.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/diagnostic.h"
#include "remote/server.h"
#include "score/run_watcher.h"

namespace vibe::remote {

struct FollowedRun {
  std::string id;
  std::string last_event = {};  // results up to this one are already known; empty: none
  bool is_finished = false;     // according to the server
  bool is_cancelled = false;    // the server has accepted the cancellation
};

struct FollowSettings {
  double patience = 300;  // seconds without an answer from the server, times wait_scale()
  double silence = 60;    // seconds without a byte until a connection counts as broken
  double farewell = 15;   // seconds that cancelled runs may take to end
};

// Returns when all runs are finished, or some time after the watcher cancelled them. An error:
// patience ended, or the server refuses (for example, the key was revoked). Runs that are neither
// finished nor cancelled then continue on the server.
base::Result<void> follow(Server& server, std::span<FollowedRun> runs, score::RunWatcher& watcher,
                          const FollowSettings& settings = {});

}  // namespace vibe::remote
