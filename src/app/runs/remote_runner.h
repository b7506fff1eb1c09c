// RemoteRunner: runs suites on a server. Everything that can be checked here is checked before
// anything is sent, the runs are followed while they continue, and finished runs look like local
// ones. For an earlier run there is neither suite nor plan.
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
  // The arguments must outlive it.
  RemoteRunner(const config::Config& config, remote::Server& server, store::Archive& archive)
      : config_(config), server_(server), archive_(archive) {}

  std::optional<Prepared> prepare(const RunRequest& request, base::Diagnostics& out) override;
  bool start(std::span<Prepared> suites, base::Diagnostics& out) override;
  std::vector<FinishedRun> follow(std::span<Prepared> suites, Watcher& watcher,
                                  base::Diagnostics& out) override;
  bool is_detached() const override { return true; }

 private:
  bool start_one(Prepared& prepared, base::Diagnostics& out);
  void cancel(std::span<const Prepared> suites);
  base::Result<FinishedRun> finished(const std::string& id, const std::string& suite_path);

  const config::Config& config_;
  remote::Server& server_;
  store::Archive& archive_;
};

}  // namespace vibe::app
