// Listing: turns request queries into store queries: pages, filters, orders. Pure, except
// list_error().
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "server/route.h"
#include "server/target.h"
#include "store/archive.h"

namespace vibe::server {

// The error is a sentence that begins with `Invalid filter` and names it.
tl::expected<store::RunQuery, std::string> read_run_query(const Target& target);
tl::expected<store::ExecutionQuery, std::string> read_execution_query(const Target& target);
tl::expected<store::DecisionQuery, std::string> read_decision_query(const Target& target);

// No index of the store fits: it must look at many runs.
bool takes_long(const Target& target);

// For a list that the store refused: a bad cursor counts as a bad filter.
Response list_error(const Call& call, const base::Diagnostics& problem);

}  // namespace vibe::server
