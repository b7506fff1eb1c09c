// Stores in SQLite files, in WAL mode. For one user or organisation: `FOLDER/vibecheck.db`, with
// the key for the secrets next to it (`secret.key`, mode 600) unless it is stored elsewhere, and a
// lock file. For a server: `FOLDER/server.db` for the directory and the accounts; the operator's
// organisation uses the store in FOLDER itself, so that it has the runs from before the server,
// others use `FOLDER/organisations/ID`. Missing folders are created (mode 700).
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
  read_write,  // creates the folder and the database, or upgrades an older one
  read_only,   // fails if there is no database; works on a full or read-only disk
};

struct SqliteOptions {
  Access access = Access::read_write;
  std::string key_file = {};              // of the key for the secrets; empty: `FOLDER/secret.key`
  std::optional<base::SealKey> key = {};  // replaces the file, which is not created or read then
  std::function<Millis()> now = base::now_millis;  // the clock for leases
};

base::Result<std::unique_ptr<Store>> open_sqlite(const std::string& folder,
                                                 const SqliteOptions& options = {});
inline base::Result<std::unique_ptr<Store>> open_sqlite(const std::string& folder, Access access) {
  return open_sqlite(folder, SqliteOptions{.access = access});
}

bool has_directory(const std::string& folder);
base::Result<std::unique_ptr<Directory>> open_directory(const std::string& folder,
                                                        Access access = Access::read_write);

// Opens nothing yet. `options.key` is the key for all organisations.
std::unique_ptr<Backend> make_sqlite_backend(std::string folder, SqliteOptions options = {});

}  // namespace vibe::store
