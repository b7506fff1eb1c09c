// The options of `vibe get runs` as a query of the store.
#pragma once

#include <optional>

#include "cli/command.h"
#include "store/archive.h"

namespace vibe::cli {

// Reports every option that it does not understand, with what is allowed.
std::optional<store::RunQuery> read_query(const Arguments& arguments, base::Diagnostics& out);

}  // namespace vibe::cli
