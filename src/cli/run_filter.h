// The options of `vibe get runs` as a store query.
#pragma once

#include <optional>

#include "cli/command.h"
#include "store/archive.h"

namespace vibe::cli {

// These functions report every invalid option, and what is allowed.

// The filters alone.
void read_filters(const Arguments& arguments, store::RunQuery& query, base::Diagnostics& out);
std::optional<store::RunQuery> read_query(const Arguments& arguments, base::Diagnostics& out);

}  // namespace vibe::cli
