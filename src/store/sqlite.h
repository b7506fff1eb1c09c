// The store in one SQLite file, in WAL mode: `FOLDER/vibecheck.db`, with the key of the secrets
// beside it (`secret.key`, mode 600) unless it is kept elsewhere, and a file of locks. The folder
// is made if it is missing (mode 700). The only part that knows SQLite.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/crypto.h"
#include "store/store.h"

namespace vibe::store {

enum class Access : std::uint8_t {
  read_write,  // makes the folder and the database, brings an older one up to date
  read_only,   // of a database that is there; fails if there is none. The disk may be full or
               // read-only
};

struct SqliteOptions {
  Access access = Access::read_write;
  std::string key_file = {};              // of the secrets' key; empty: `FOLDER/secret.key`
  std::optional<base::SealKey> key = {};  // instead of a file; none is made or read then
};

base::Result<std::unique_ptr<Store>> open_sqlite(const std::string& folder,
                                                 const SqliteOptions& options = {});
inline base::Result<std::unique_ptr<Store>> open_sqlite(const std::string& folder, Access access) {
  return open_sqlite(folder, SqliteOptions{.access = access});
}

}  // namespace vibe::store
