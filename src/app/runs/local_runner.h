// LocalRunner: runs suites on this machine.
#pragma once

#include <algorithm>

#include "app/local.h"
#include "app/runs/runner.h"

namespace vibe::app {

class LocalRunner final : public Runner {
 public:
  explicit LocalRunner(Local& local) : local_(local) {}
  std::optional<Prepared> prepare(const RunRequest& request, base::Diagnostics& out) override {
    return prepare_run(request, local_, out);
  }
  bool start(std::span<Prepared> suites, base::Diagnostics& out) override {
    return std::all_of(suites.begin(), suites.end(), [&](Prepared& prepared) {
      return start_suite(prepared, *local_.store, out);
    });
  }
  std::vector<FinishedRun> follow(std::span<Prepared> suites, Watcher& watcher,
                                  base::Diagnostics&) override {
    return run_suites(suites, *local_.store, watcher);
  }
  bool is_detached() const override { return false; }

 private:
  Local& local_;
};

}  // namespace vibe::app
