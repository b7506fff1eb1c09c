#include "store/sqlite.h"

#include <filesystem>

#include <fmt/format.h>

#include "store/locks.h"
#include "store/make_folder.h"
#include "store/schema.h"
#include "store/sqlite_store.h"

namespace vibe::store {

using base::Code;

namespace {

namespace fs = std::filesystem;

// Beside those who write; where that takes a file that cannot be made, what lies on the disk.
std::unique_ptr<Database> open_to_read(const std::string& path) {
  auto shared = std::make_unique<Database>(path, Database::Mode::read_only);
  version_of(*shared, migrations());
  if (!shared->lacks_files()) return shared;
  std::error_code error;
  const auto log_bytes = fs::file_size(path + "-wal", error);
  const bool has_log = !error && log_bytes > 0;
  auto alone = std::make_unique<Database>(
      path, has_log ? Database::Mode::read_log : Database::Mode::read_frozen);
  version_of(*alone, migrations());
  return alone->failed() ? std::move(shared) : std::move(alone);
}

}  // namespace

std::string database_path(const std::string& folder) { return fs::path(folder) / "vibecheck.db"; }
std::string lock_path(const std::string& folder) { return fs::path(folder) / "vibecheck.lock"; }

base::Result<std::unique_ptr<Store>> open_sqlite(const std::string& folder,
                                                 const SqliteOptions& options) {
  const bool writes = options.access == Access::read_write;
  if (writes) {
    if (auto made = make_folder(folder); !made) return tl::unexpected(std::move(made.error()));
    if (auto made = make_lock_file(lock_path(folder)); !made)
      return tl::unexpected(std::move(made.error()));
  } else if (std::error_code error; !fs::exists(database_path(folder), error)) {
    return base::fail(Code::store_unusable, {},
                      fmt::format("there is no store `{}`", database_path(folder)),
                      "the first run of a suite makes it");
  }
  auto database = writes ? std::make_unique<Database>(database_path(folder), Database::Mode::create,
                                                      lock_path(folder))
                         : open_to_read(database_path(folder));

  const std::int64_t version = version_of(*database, migrations());  // before anything is changed
  if (writes) {
    database->execute_patiently("PRAGMA journal_mode = WAL");
    database->execute("PRAGMA synchronous = NORMAL");
    migrate(*database, migrations());
  } else if (version < migrations().back().number) {
    database->fail(Code::store_unusable,
                   fmt::format("the store `{}` is of an older version", database->path()),
                   "any command that writes to it brings it up to date");
  }
  database->execute("PRAGMA foreign_keys = ON");
  database->execute("PRAGMA cache_size = -4000");  // in KB; a server has many of these
  if (database->failed()) return database->take_failure();
  KeySource key{options.key_file, options.key};
  if (key.file.empty()) key.file = fs::path(folder) / "secret.key";
  return std::make_unique<SqliteStore>(folder, std::move(key), std::move(database));
}

}  // namespace vibe::store
