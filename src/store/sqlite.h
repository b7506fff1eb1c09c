// Stores in SQLite files, in WAL mode. One user's, or one organisation's: `FOLDER/vibecheck.db`,
// with the key of the secrets beside it (`secret.key`, mode 600) unless it is kept elsewhere, and a
// file of locks. A server's: `FOLDER/server.db` for the directory and the accounts; the operator's
// organisation has the store of FOLDER itself, so that what was run before the server is there,
// others have `FOLDER/organisations/ID`. Folders are made if they are missing (mode 700).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/crypto.h"
#include "base/time.h"
#include "store/backend.h"

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
  std::function<Millis()> now = base::now_millis;  // decides leases
};

base::Result<std::unique_ptr<Store>> open_sqlite(const std::string& folder,
                                                 const SqliteOptions& options = {});
inline base::Result<std::unique_ptr<Store>> open_sqlite(const std::string& folder, Access access) {
  return open_sqlite(folder, SqliteOptions{.access = access});
}

bool has_directory(const std::string& folder);
base::Result<std::unique_ptr<Directory>> open_directory(const std::string& folder,
                                                        Access access = Access::read_write);

// Opens nothing yet. `options.key` is the key of all organisations.
std::unique_ptr<Backend> make_sqlite_backend(std::string folder, SqliteOptions options = {});

}  // namespace vibe::store
