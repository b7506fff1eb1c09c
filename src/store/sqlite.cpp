#include "store/sqlite.h"

#include <cerrno>
#include <filesystem>

#include <sys/stat.h>

#include <fmt/format.h>

#include "base/file.h"
#include "store/locks.h"
#include "store/schema.h"
#include "store/sqlite_store.h"

namespace vibe::store {

using base::Code;

namespace {

namespace fs = std::filesystem;

tl::unexpected<base::Diagnostics> no_folder(const std::string& folder, int error) {
  return base::fail(Code::store_unusable, {},
                    fmt::format("cannot make the folder `{}`: {}", folder, base::reason(error)),
                    "set `VIBECHECK_HOME` to a folder that can be written");
}

// With those above it that are missing; all for their owner alone.
base::Result<void> make_folder(const std::string& folder) {
  fs::path made;
  for (const auto& part : fs::path(folder)) {
    made /= part;
    if (::mkdir(made.c_str(), 0700) == 0) continue;
    const int error = errno;
    std::error_code ignored;
    if (!fs::is_directory(made, ignored))
      return no_folder(folder, error == EEXIST ? ENOTDIR : error);
  }
  return {};
}

}  // namespace

std::string database_path(const std::string& folder) { return fs::path(folder) / "vibecheck.db"; }
std::string lock_path(const std::string& folder) { return fs::path(folder) / "vibecheck.lock"; }
std::string key_path(const std::string& folder) { return fs::path(folder) / "secret.key"; }

base::Result<std::unique_ptr<Store>> open_sqlite(const std::string& folder, Access access) {
  const bool writes = access == Access::read_write;
  if (writes) {
    if (auto made = make_folder(folder); !made) return tl::unexpected(std::move(made.error()));
    if (auto made = make_lock_file(lock_path(folder)); !made)
      return tl::unexpected(std::move(made.error()));
  } else if (std::error_code error; !fs::exists(database_path(folder), error)) {
    return base::fail(Code::store_unusable, {},
                      fmt::format("there is no store `{}`", database_path(folder)),
                      "the first run of a suite makes it");
  }
  auto database = std::make_unique<Database>(
      database_path(folder), writes ? Database::Mode::create : Database::Mode::read_only,
      writes ? lock_path(folder) : std::string());

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
  if (database->failed()) return database->take_failure();
  return std::make_unique<SqliteStore>(folder, std::move(database));
}

}  // namespace vibe::store
