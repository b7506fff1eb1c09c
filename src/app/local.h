// Local: a place that runs suites itself: this machine for its user, or a server for one of its
// organisations. What a command works with, which may be a server, is a Workspace (workspace.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "config/config.h"
#include "store/backend.h"

namespace vibe::app {

// What suites may use of the machine that runs them: everything on one's own, nothing on a server
// but what its operator allows.
struct Permissions {
  bool files = true;        // of cases and rubrics, beside the suite
  bool exec_checks = true;  // programs that judge answers
  bool any_model = true;    // `exec:` and `replay:` models; false: those of `local_models`
  std::vector<std::string> local_models;
  bool private_addresses = true;  // of tool servers: this machine and its networks
};

// Code::not_permitted if suites may not name it.
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
