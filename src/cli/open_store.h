// Opens what a command works with.
#pragma once

#include <memory>

#include <tl/expected.hpp>

#include "app/workspace.h"
#include "cli/command.h"

namespace vibe::cli {

// Shows what is wrong, and what to be warned of; if it cannot be opened, the exit code.
tl::expected<std::unique_ptr<app::Workspace>, Exit> open_store(Terminal& terminal,
                                                               app::Need need = app::Need::writing);

}  // namespace vibe::cli
