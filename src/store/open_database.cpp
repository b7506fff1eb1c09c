#include "store/open_database.h"

#include <filesystem>

#include <fmt/format.h>

#include "store/locks.h"
#include "store/make_folder.h"

namespace vibe::store {

using base::Code;

namespace {

namespace fs = std::filesystem;

// Reads while others write; if that needs a file that cannot be created, reads what is on disk.
std::unique_ptr<Database> open_to_read(const std::string& path, std::span<const Migration> known) {
  auto shared = std::make_unique<Database>(path, Database::Mode::read_only);
  version_of(*shared, known);
  if (!shared->lacks_files()) return shared;
  std::error_code error;
  const auto log_bytes = fs::file_size(path + "-wal", error);
  const bool has_log = !error && log_bytes > 0;
  auto alone = std::make_unique<Database>(
      path, has_log ? Database::Mode::read_log : Database::Mode::read_frozen);
  version_of(*alone, known);
  return alone->failed() ? std::move(shared) : std::move(alone);
}

}  // namespace

std::string lock_path(const std::string& folder) { return fs::path(folder) / "vibecheck.lock"; }

base::Result<std::unique_ptr<Database>> open_database(const std::string& folder,
                                                      const std::string& path, Access access,
                                                      std::span<const Migration> known,
                                                      std::string_view synchronous) {
  const bool writes = access == Access::read_write;
  if (writes) {
    VIBE_TRY(make_folder(folder));
    VIBE_TRY(make_lock_file(lock_path(folder)));
  } else if (std::error_code error; !fs::exists(path, error)) {
    return base::fail(Code::store_unusable, {}, fmt::format("there is no store `{}`", path),
                      "the first run of a suite creates it");
  }
  auto database = writes
                      ? std::make_unique<Database>(path, Database::Mode::create, lock_path(folder))
                      : open_to_read(path, known);
  const std::int64_t version = version_of(*database, known);  // before anything is changed
  if (writes) {
    database->execute_patiently("PRAGMA journal_mode = WAL");
    database->execute(fmt::format("PRAGMA synchronous = {}", synchronous).c_str());
    migrate(*database, known);
  } else if (version < known.back().number) {
    database->fail(Code::store_unusable,
                   fmt::format("the store `{}` has an older version", database->path()),
                   "any command that writes to it upgrades it");
  }
  database->execute("PRAGMA foreign_keys = ON");
  if (database->failed()) return database->take_failure();
  return database;
}

}  // namespace vibe::store
