// Local: the user's configuration and store, opened for a command.
#pragma once

#include <memory>
#include <optional>

#include "base/diagnostic.h"
#include "config/config.h"
#include "store/store.h"

namespace vibe::app {

struct Local {
  config::Config config;
  std::unique_ptr<store::Store> store;
};

// Runs whose process is gone are marked as interrupted. Nothing, and errors, if it cannot be done.
std::optional<Local> open_local(base::Diagnostics& out);

}  // namespace vibe::app
