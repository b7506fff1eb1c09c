// The conditions of a run query, as SQL for the columns of the table `runs`. Pure.
#pragma once

#include <string>
#include <vector>

#include "store/archive.h"
#include "store/filter.h"

namespace vibe::store {

// By text, range and time; not by status.
Filter filter_of(const RunQuery& query);

// Names of statuses, as SQL texts.
using Statuses = std::vector<std::string>;
Statuses statuses_of(const RunQuery& query);  // those that it wants
bool is_any(const Statuses& status);
std::string condition(const Statuses& status);

}  // namespace vibe::store
