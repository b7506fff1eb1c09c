// Follow: what happens to runs of a server, as it happens, until they end. Where a connection
// breaks it is taken up again after the last result that came, so that none is lost and none comes
// twice, for as long as a server may take to start again.
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
  std::string last_event = {};  // results up to this one are known already; empty: none is
  bool is_finished = false;     // as the server said
  bool is_cancelled = false;    // the server was asked to, and said that it will be
};

struct FollowSettings {
  double patience = 300;  // seconds without a word of the server, by its wait_scale()
  double silence = 60;    // seconds without a byte, after which a connection counts as broken
  double farewell = 15;   // seconds that runs may take to end once they are cancelled
};

// Returns when all of them are finished, or some time after they were cancelled, as the watcher
// wants. An error: patience ended, or the server refuses (the key was revoked, say). Runs that are
// neither finished nor cancelled then continue on the server.
base::Result<void> follow(Server& server, std::span<FollowedRun> runs, score::RunWatcher& watcher,
                          const FollowSettings& settings = {});

}  // namespace vibe::remote
