// Local: the user's configuration and store, opened for a command. The store is that of a server
// where the user has named one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "config/config.h"
#include "store/store.h"

namespace vibe::remote {
class Server;
}

namespace vibe::app {

// What suites may use of the machine that runs them: everything on one's own, nothing on a server
// but what its operator allows.
struct Permissions {
  bool files = true;        // of cases and rubrics, beside the suite
  bool exec_checks = true;  // programs that judge answers
  bool any_model = true;    // `exec:` and `replay:` models; false: those of `local_models`
  std::vector<std::string> local_models;
  bool private_addresses = true;  // of servers of tools: this machine and its networks
};

// Code::not_permitted where suites may not name it.
base::Result<void> permit_model(std::string_view name, const Permissions& permissions);

struct Local {
  config::Config config;
  std::unique_ptr<store::Store> store;
  Permissions permissions = {};
  std::shared_ptr<remote::Server> server = {};  // whose store it is; null: the user's own
};

enum class Need : std::uint8_t {
  writing,
  reading,  // the store of one's own may be one that cannot be written: then nothing is marked
};

// Runs of one's own whose process is gone are marked as interrupted; a server is not asked anything
// yet. Warnings and errors go to `out`; nothing if it cannot be done.
std::optional<Local> open_local(base::Diagnostics& out, Need need = Need::writing);

}  // namespace vibe::app
