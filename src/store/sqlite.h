// The store in one SQLite file, in WAL mode: `FOLDER/vibecheck.db`, with the key of the secrets
// beside it (`secret.key`, mode 600) and a file of locks. The folder is made if it is missing
// (mode 700). The only part that knows SQLite.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace vibe::store {

enum class Access : std::uint8_t {
  read_write,  // makes the folder and the database, brings an older one up to date
  read_only,   // of a database that is there; fails if there is none
};

base::Result<std::unique_ptr<Store>> open_sqlite(const std::string& folder,
                                                 Access access = Access::read_write);

}  // namespace vibe::store
