// Schema: the tables of the store, as a list of migrations, and the check that a file is one of our
// stores with a known version.
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

// Records a failure in `database` if it is not a store, or newer than the last of `known`. Changes
// nothing. Returns the number of its last migration; 0 for an empty file.
std::int64_t version_of(Database& database, std::span<const Migration> known);

// Runs the missing migrations, all or nothing.
void migrate(Database& database, std::span<const Migration> known);

}  // namespace vibe::store
