// Opens the store that a command works with.
#pragma once

#include <memory>

#include <tl/expected.hpp>

#include "app/workspace.h"
#include "cli/command.h"

namespace vibe::cli {

// Shows errors and warnings; returns the exit code if the store cannot be opened.
tl::expected<std::unique_ptr<app::Workspace>, Exit> open_store(Terminal& terminal,
                                                               app::Need need = app::Need::writing);

}  // namespace vibe::cli
