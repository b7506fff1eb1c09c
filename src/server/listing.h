// Listing: queries of requests as queries of the store: pages, filters, orders. Pure, but for
// list_error().
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "server/route.h"
#include "server/target.h"
#include "store/archive.h"

namespace vibe::server {

// Or a sentence that begins with `Invalid filter` and names it.
tl::expected<store::RunQuery, std::string> read_run_query(const Target& target);
tl::expected<store::ExecutionQuery, std::string> read_execution_query(const Target& target);
tl::expected<store::DecisionQuery, std::string> read_decision_query(const Target& target);

// No index of the store gives what is asked for: it has to look at many runs.
bool takes_long(const Target& target);

// Of a list that the store refused: a cursor that is none is a filter, too.
Response list_error(const Call& call, const base::Diagnostics& problem);

}  // namespace vibe::server
