// Opens what a command works with: the configuration, and the store of this machine or of a server.
#pragma once

#include <tl/expected.hpp>

#include "app/local.h"
#include "cli/command.h"

namespace vibe::cli {

// Shows what is wrong, and what to be warned of; without a store, by which code the program ends.
tl::expected<app::Local, Exit> open_store(Terminal& terminal, app::Need need = app::Need::writing);

}  // namespace vibe::cli
