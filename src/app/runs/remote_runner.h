// RemoteRunner: runs suites on a server. Everything that can be known here is checked before
// anything is sent, the runs are followed as they continue, and in the end they are what local ones
// would be. Of an earlier run there is neither suite nor plan.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/runs/runner.h"
#include "config/config.h"
#include "store/archive.h"

namespace vibe::remote {
class Server;
}

namespace vibe::app {

class RemoteRunner final : public Runner {
 public:
  // All of them outlive it.
  RemoteRunner(const config::Config& config, remote::Server& server, store::Archive& archive)
      : config_(config), server_(server), archive_(archive) {}

  std::optional<Prepared> prepare(const RunRequest& request, base::Diagnostics& out) override;
  bool start(Prepared& prepared, base::Diagnostics& out) override;
  std::vector<FinishedRun> follow(Prepared& prepared, Watcher& watcher,
                                  base::Diagnostics& out) override;
  bool is_detached() const override { return true; }

  // What was prepared last, besides what is prepared on any machine.
  struct Orders {
    std::vector<std::string> bodies;  // what is sent to start each run
    std::string path;                 // of the suite's file; empty: none
    base::Diagnostics known;          // warnings that are no news from the server
  };

 private:
  void cancel(std::span<const PreparedModel> runs);
  base::Result<FinishedRun> finished(const std::string& id);

  const config::Config& config_;
  remote::Server& server_;
  store::Archive& archive_;
  Orders orders_;
};

}  // namespace vibe::app
