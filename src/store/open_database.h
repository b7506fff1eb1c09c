// Opens one of our SQLite files: creates it or upgrades it, or reads it as it is.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/diagnostic.h"
#include "store/database.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace vibe::store {

// `synchronous`: SQLite's pragma.
base::Result<std::unique_ptr<Database>> open_database(const std::string& folder,
                                                      const std::string& path, Access access,
                                                      std::span<const Migration> known,
                                                      std::string_view synchronous);

std::string lock_path(const std::string& folder);

}  // namespace vibe::store
