// Follow: what happens to runs of a server, as it happens, until they end. Where a connection
// breaks it is taken up again after the last result that came, so that none is lost and none comes
// twice, for as long as a server may take to start again.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/diagnostic.h"
#include "remote/server.h"
#include "score/run.h"

namespace vibe::remote {

struct FollowedRun {
  std::string id;
  std::string last_event = {};  // results up to this one are known already; empty: none is
  bool is_finished = false;     // as the server said
  bool is_cancelled = false;    // the server was asked to, and said that it will be
};

// Who watches. Called on the caller's thread.
class FollowObserver {
 public:
  virtual ~FollowObserver() = default;
  virtual void on_result(std::size_t run, const score::Result& result) = 0;
  virtual void on_tick() = 0;              // every now and then, at least ten times a second
  virtual bool wants_to_stop() const = 0;  // then the server is asked to cancel what is left
};

struct FollowSettings {
  double patience = 300;  // seconds without a word of the server, by its wait_scale()
  double silence = 60;    // seconds without a byte, after which a connection counts as broken
  double farewell = 15;   // seconds that runs may take to end once they are cancelled
};

// Until all of them are finished, or have been cancelled and that takes too long. An error is the
// end of patience, or that the server refuses, of a key that was revoked, say: then those that are
// neither finished nor cancelled go on at the server.
base::Result<void> follow(Server& server, std::span<FollowedRun> runs, FollowObserver& observer,
                          const FollowSettings& settings = {});

}  // namespace vibe::remote
