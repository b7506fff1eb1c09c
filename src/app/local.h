// Local: a place that runs suites itself: the user's machine, or a server for one organisation. A
// command uses a Workspace (workspace.h), which may be a server.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "config/config.h"
#include "store/backend.h"

namespace vibe::app {

// What suites may use on the machine that runs them: everything on your own machine, on a server
// only what its operator allows.
struct Permissions {
  bool files = true;        // case files and rubrics next to the suite
  bool exec_checks = true;  // programs that judge answers
  bool any_model = true;    // `exec:` and `replay:` models; false: only those in `local_models`
  std::vector<std::string> local_models;
  bool private_addresses = true;  // tool servers on this machine and its networks
};

// Code::not_permitted if suites may not use it.
base::Result<void> permit_model(std::string_view name, const Permissions& permissions);

struct Local {
  config::Config config;
  std::unique_ptr<store::Store> store;
  Permissions permissions = {};

  store::Suites& suites() { return store->archive().suites(); }
  store::Runs& runs() { return store->archive().runs(); }
  store::Executions& executions() { return store->archive().executions(); }
  store::Variables& variables() { return store->archive().variables(); }
};

}  // namespace vibe::app
