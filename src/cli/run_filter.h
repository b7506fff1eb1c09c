// The options of `vibe get runs` as a store query.
#pragma once

#include <optional>

#include "cli/command.h"
#include "store/archive.h"

namespace vibe::cli {

// Reports every invalid option, and what is allowed.
std::optional<store::RunQuery> read_query(const Arguments& arguments, base::Diagnostics& out);

}  // namespace vibe::cli
