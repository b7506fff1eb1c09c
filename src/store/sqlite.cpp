#include "store/sqlite.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/open_database.h"
#include "store/schema.h"
#include "store/sqlite_directory.h"
#include "store/sqlite_roles.h"

namespace vibe::store {

using base::Code;

namespace {

namespace fs = std::filesystem;

class SqliteStore final : public Store, private Archive {
 public:
  explicit SqliteStore(std::unique_ptr<SqliteSession> session)
      : session_(std::move(session)),
        suites_(*session_),
        runs_(*session_),
        executions_(*session_),
        variables_(*session_),
        journal_(*session_),
        feed_(*session_),
        queue_(*session_),
        rescoring_(*session_),
        cache_(*session_),
        vault_(*session_) {}

  Archive& archive() override { return *this; }
  Journal& journal() override { return journal_; }
  Feed& feed() override { return feed_; }
  Queue& queue() override { return queue_; }
  Rescoring& rescoring() override { return rescoring_; }
  Cache& cache() override { return cache_; }
  Vault& vault() override { return vault_; }

 private:
  Suites& suites() override { return suites_; }
  Runs& runs() override { return runs_; }
  Executions& executions() override { return executions_; }
  Variables& variables() override { return variables_; }

  std::unique_ptr<SqliteSession> session_;
  SqliteSuites suites_;
  SqliteRuns runs_;
  SqliteExecutions executions_;
  SqliteVariables variables_;
  SqliteJournal journal_;
  SqliteFeed feed_;
  SqliteQueue queue_;
  SqliteRescoring rescoring_;
  SqliteCache cache_;
  SqliteVault vault_;
};

class SqliteBackend final : public Backend {
 public:
  SqliteBackend(std::string folder, SqliteOptions options)
      : folder_(std::move(folder)), options_(std::move(options)) {}

  base::Result<std::unique_ptr<Directory>> directory() override { return open_directory(folder_); }
  base::Result<std::unique_ptr<Accounts>> accounts() override { return open_accounts(folder_); }
  base::Result<std::unique_ptr<Store>> store(std::string_view organisation) override {
    VIBE_TRY(const auto folder, folder_of(organisation));
    return open_sqlite(folder, options_);
  }
  Events& events() override { return *events_; }

 private:
  // Only an id from the directory becomes a file name.
  base::Result<std::string> folder_of(std::string_view id) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = folders_.find(id); found != folders_.end()) return found->second;
    }
    VIBE_TRY(auto below, base::is_uuid(id) ? organisation_folder(folder_, id)
                                           : base::Result<std::optional<std::string>>());
    if (!below)
      return base::fail(Code::not_found, {},
                        fmt::format("there is no organisation `{}`", base::printable(id)));
    const std::string path = below->empty() ? folder_ : (fs::path(folder_) / *below).string();
    const std::lock_guard lock(mutex_);
    return folders_.emplace(id, path).first->second;
  }

  const std::string folder_;
  const SqliteOptions options_;
  const std::unique_ptr<Events> events_ = make_local_events();
  std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> folders_;  // by organisation id
};

}  // namespace

base::Result<std::unique_ptr<Store>> open_sqlite(const std::string& folder,
                                                 const SqliteOptions& options) {
  VIBE_TRY(auto database, open_database(folder, fs::path(folder) / "vibecheck.db", options.access,
                                        migrations(), "NORMAL"));
  database->execute("PRAGMA cache_size = -4000");  // in KB; a server has many connections
  if (database->failed()) return database->take_failure();
  KeySource key{options.key_file, options.key};
  if (key.file.empty()) key.file = fs::path(folder) / "secret.key";
  return std::make_unique<SqliteStore>(
      std::make_unique<SqliteSession>(folder, std::move(key), options.now, std::move(database)));
}

std::unique_ptr<Backend> make_sqlite_backend(std::string folder, SqliteOptions options) {
  return std::make_unique<SqliteBackend>(std::move(folder), std::move(options));
}

}  // namespace vibe::store
