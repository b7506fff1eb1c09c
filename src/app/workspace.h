// Workspace: what a command works with: the configuration, the archive, the runner, and the
// destination of scored executions and decisions. It is this machine, or the server that the user
// chose. Belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "app/agents/keeper.h"
#include "app/runs/runner.h"
#include "base/diagnostic.h"
#include "config/config.h"
#include "store/archive.h"
#include "store/rescoring.h"

namespace vibe::remote {
class Server;
}

namespace vibe::app {

class Workspace {
 public:
  virtual ~Workspace() = default;
  virtual const config::Config& config() const = 0;
  virtual store::Archive& archive() = 0;
  virtual Runner& runner() = 0;
  virtual std::unique_ptr<Keeper> keeper(KeeperSettings settings) = 0;
  // Computes what older versions did not: how sure the scores of these runs are. Servers do that by
  // themselves.
  virtual void add_certainty(std::span<score::Run> runs) = 0;
  // What stored runs would have scored by other formulas. False: the watcher stopped it.
  virtual base::Result<bool> rescore(const store::RescoreRequest& request,
                                     store::RescoreWatcher& watcher) = 0;
};

enum class Need : std::uint8_t {
  writing,
  reading,  // the disk may be full or read-only: then no run is marked as interrupted
};

// Marks runs of this machine whose process is gone as interrupted; sends nothing to a server yet.
// Adds warnings and errors to `out`; null if it cannot be opened.
std::unique_ptr<Workspace> open_workspace(base::Diagnostics& out,
                                          const config::Overrides& overrides = {},
                                          Need need = Need::writing);

// The configured server, for commands that need one. Code::bad_usage: none.
std::shared_ptr<remote::Server> open_server(const config::Config& config, base::Diagnostics& out);

}  // namespace vibe::app
