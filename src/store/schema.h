// Schema: the tables of the store, as a list of migrations; and the check that a file is a store
// of ours, of a version that we know.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "store/database.h"

namespace vibe::store {

struct Migration {
  std::int64_t number;  // from 1, without gaps
  std::string_view what;
  const char* sql;
};

std::span<const Migration> migrations();

// Says in `database` what is wrong with it, if it is not a store, or newer than the last of
// `known`. Changes nothing. The number of the last migration that it has; 0 for an empty file.
std::int64_t version_of(Database& database, std::span<const Migration> known);

// Does what is missing, all of it or nothing.
void migrate(Database& database, std::span<const Migration> known);

}  // namespace vibe::store
