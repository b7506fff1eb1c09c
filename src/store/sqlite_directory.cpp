#include "store/sqlite_directory.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "store/database.h"
#include "store/directory_shape.h"
#include "store/open_database.h"
#include "store/schema.h"
#include "store/shape_row.h"
#include "store/sqlite.h"

namespace vibe::store {

using base::Code;

namespace {

constexpr const char* kOrganisations = R"sql(
CREATE TABLE organisations (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  folder TEXT NOT NULL UNIQUE,  -- below the server's folder; empty: that folder itself
  is_active INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  queued_runs INTEGER NOT NULL,
  running_runs INTEGER NOT NULL,
  runs_a_day INTEGER,
  requests_a_minute INTEGER NOT NULL,
  credits REAL,
  spent REAL NOT NULL
) STRICT;

CREATE TABLE keys (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organisation TEXT NOT NULL REFERENCES organisations (id),
  role TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE INDEX keys_organisation ON keys (organisation);

CREATE TABLE invites (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organisation TEXT NOT NULL REFERENCES organisations (id),
  role TEXT NOT NULL,
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX invites_organisation ON invites (organisation);

-- identifies the master key that made the hashes; at most one row
CREATE TABLE key_mark (
  number INTEGER PRIMARY KEY CHECK (number = 1),
  mark TEXT NOT NULL
) STRICT;
)sql";

constexpr const char* kCharges = R"sql(
CREATE TABLE charges (
  run TEXT NOT NULL,
  queued_after INTEGER NOT NULL,  -- its last arrival when it was queued
  dollars REAL NOT NULL,
  PRIMARY KEY (run, queued_after)
) STRICT, WITHOUT ROWID;
)sql";

constexpr std::array kDirectoryMigrations{
    Migration{1, "organisations, keys, invites", kOrganisations},
    Migration{2, "charges of runs", kCharges},
};

std::string path_of(const std::string& folder) {
  return std::filesystem::path(folder) / "server.db";
}

// What follows the columns of a table in a query.
template <class Object>
constexpr std::string_view kFrom = {};
template <>
constexpr std::string_view kFrom<Organisation> = ", folder FROM organisations";
template <>
constexpr std::string_view kFrom<ApiKey> = " FROM keys";
template <>
constexpr std::string_view kFrom<Invite> = " FROM invites";

template <class Object>
Query select(Database& database, std::string_view which) {
  return database.query(fmt::format("SELECT {}{} {}", columns_of<Object>(), kFrom<Object>, which));
}

template <class Object>
std::optional<Object> read_next(Query& query) {
  if (!query.step()) return std::nullopt;
  Object out;
  read_row(query, out);
  if constexpr (std::is_same_v<Object, Organisation>) out.is_operator = query.read_text().empty();
  return out;
}

template <class Object>
std::vector<Object> read_all(Query& query) {
  std::vector<Object> out;
  while (auto one = read_next<Object>(query)) out.push_back(*std::move(one));
  return out;
}

template <class Object>
void insert(Database& database, std::string_view table, const Object& object) {
  BoundTexts texts;
  Query query = database.query(fmt::format("INSERT INTO {} ({}) VALUES ({})", table,
                                           columns_of<Object>(), parameters_of<Object>()));
  bind_row(query, object, texts);
  query.run();
}

bool has_organisations(Database& database) {
  return database.query("SELECT 1 FROM organisations LIMIT 1").step();
}

// Within a transaction.
Organisation insert_organisation(Database& database, Organisation organisation) {
  organisation.is_operator = !has_organisations(database);
  const std::string folder = organisation.is_operator ? "" : "organisations/" + organisation.id;
  const bool is_taken =
      database.query("SELECT 1 FROM organisations WHERE slug = ?").text(organisation.slug).step();
  if (is_taken)
    database.fail(Code::conflict,
                  fmt::format("organisation `{}` already exists", organisation.slug),
                  "choose another slug");
  BoundTexts texts;
  Query query =
      database.query(fmt::format("INSERT INTO organisations ({}, folder) VALUES ({}, ?)",
                                 columns_of<Organisation>(), parameters_of<Organisation>()));
  bind_row(query, organisation, texts);
  query.text(folder).run();
  return organisation;
}

void fail_unknown(Database& database, std::string_view organisation) {
  database.fail(Code::not_found,
                fmt::format("there is no organisation `{}`", base::printable(organisation)));
}

base::Result<void> changed_organisation(Database& database, std::string_view id) {
  if (!database.failed() && database.changes() == 0) fail_unknown(database, id);
  return database.result();
}

class SqliteOrganisations final : public Organisations {
 public:
  explicit SqliteOrganisations(Database& database) : db_(database) {}

  base::Result<Organisation> add(const Organisation& organisation) override {
    Transaction transaction(db_, Transaction::Kind::write);
    Organisation added = insert_organisation(db_, organisation);
    transaction.commit();
    return db_.result(std::move(added));
  }

  base::Result<bool> begin(const Organisation& organisation, const ApiKey& key) override {
    Transaction transaction(db_, Transaction::Kind::write);
    if (has_organisations(db_)) return db_.result(false);
    insert_organisation(db_, organisation);
    insert(db_, "keys", key);
    transaction.commit();
    return db_.result(true);
  }

  base::Result<void> update(const Organisation& organisation) override {
    db_.query(
           "UPDATE organisations SET name = ?, is_active = ?, queued_runs = ?, running_runs = ?, "
           "runs_a_day = ?, requests_a_minute = ?, credits = ? WHERE id = ?")
        .text(organisation.name)
        .integer(organisation.is_active ? 1 : 0)
        .integer(organisation.limits.queued_runs)
        .integer(organisation.limits.running_runs)
        .integer(organisation.limits.runs_a_day)
        .integer(organisation.limits.requests_a_minute)
        .real(organisation.limits.credits)
        .text(organisation.id)
        .run();
    return changed_organisation(db_, organisation.id);
  }

  base::Result<std::optional<Organisation>> find(std::string_view id_or_slug) override {
    Query query = select<Organisation>(db_, "WHERE id = ?1 OR slug = ?1");
    return db_.result(read_next<Organisation>(query.text(id_or_slug)));
  }

  base::Result<std::vector<Organisation>> list() override {
    Query query = select<Organisation>(db_, "ORDER BY number");
    return db_.result(read_all<Organisation>(query));
  }

 private:
  Database& db_;
};

class SqliteKeys final : public Keys {
 public:
  explicit SqliteKeys(Database& database) : db_(database) {}

  base::Result<void> add(const ApiKey& key) override {
    insert(db_, "keys", key);
    return db_.result();
  }

  base::Result<std::optional<ApiKey>> find(std::string_view id) override {
    Query query = select<ApiKey>(db_, "WHERE id = ?");
    return db_.result(read_next<ApiKey>(query.text(id)));
  }

  base::Result<std::vector<ApiKey>> list(std::string_view organisation) override {
    Query query = select<ApiKey>(db_, "WHERE organisation = ? ORDER BY number");
    query.text(organisation);
    return db_.result(read_all<ApiKey>(query));
  }

  base::Result<bool> revoke(std::string_view id, Millis now) override {
    // A key that was already revoked keeps its time.
    db_.query("UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?")
        .integer(now)
        .text(id)
        .run();
    return db_.result(!db_.failed() && db_.changes() > 0);
  }

  base::Result<void> note_use(std::string_view key, Millis now) override {
    db_.query("UPDATE keys SET last_used_at = ? WHERE id = ?").integer(now).text(key).run();
    return db_.result();
  }

  base::Result<void> add_invite(const Invite& invite) override {
    insert(db_, "invites", invite);
    return db_.result();
  }

  base::Result<std::optional<Invite>> find_invite(std::string_view id) override {
    Query query = select<Invite>(db_, "WHERE id = ?");
    return db_.result(read_next<Invite>(query.text(id)));
  }

  base::Result<std::vector<Invite>> list_invites(std::string_view organisation) override {
    Query query = select<Invite>(db_, "WHERE organisation = ? ORDER BY number");
    query.text(organisation);
    return db_.result(read_all<Invite>(query));
  }

  base::Result<bool> use_invite(std::string_view id, const ApiKey& key, Millis now) override {
    Transaction transaction(db_, Transaction::Kind::write);
    db_.query("UPDATE invites SET used_at = ? WHERE id = ? AND used_at IS NULL")
        .integer(now)
        .text(id)
        .run();
    if (db_.failed() || db_.changes() == 0) return db_.result(false);
    insert(db_, "keys", key);
    transaction.commit();
    return db_.result(true);
  }

 private:
  Database& db_;
};

class SqliteDirectory final : public Directory {
 public:
  explicit SqliteDirectory(std::unique_ptr<Database> database)
      : owned_(std::move(database)), db_(*owned_), organisations_(db_), keys_(db_) {}

  Organisations& organisations() override { return organisations_; }
  Keys& keys() override { return keys_; }

  base::Result<std::string> key_mark() override {
    Query query = db_.query("SELECT mark FROM key_mark");
    std::string mark;
    if (query.step()) mark = query.read_text();
    return db_.result(std::move(mark));
  }

  base::Result<std::string> keep_key_mark(std::string_view mark) override {
    db_.query("INSERT OR IGNORE INTO key_mark VALUES (1, ?)").text(mark).run();
    return key_mark();
  }

 private:
  std::unique_ptr<Database> owned_;
  Database& db_;
  SqliteOrganisations organisations_;
  SqliteKeys keys_;
};

class SqliteAccounts final : public Accounts {
 public:
  explicit SqliteAccounts(std::unique_ptr<Database> database)
      : owned_(std::move(database)), db_(*owned_) {}

  base::Result<double> charge(std::string_view organisation, const Charged& what,
                              double dollars) override {
    Transaction transaction(db_, Transaction::Kind::write);
    const double before = charged_before(what);
    const double added = std::max(0.0, dollars - before);
    db_.query("UPDATE organisations SET spent = spent + ? WHERE id = ?")
        .real(added)
        .text(organisation)
        .run();
    VIBE_TRY(changed_organisation(db_, organisation));
    db_.query("INSERT OR REPLACE INTO charges VALUES (?, ?, ?)")
        .text(what.run)
        .integer(what.queued_after)
        .real(before + added)
        .run();
    transaction.commit();
    return db_.result(added);
  }

  base::Result<Balance> balance(std::string_view organisation) override {
    Query query = db_.query("SELECT credits, spent FROM organisations WHERE id = ?");
    Balance out;
    if (query.text(organisation).step()) {
      out.credits = query.read_optional_real();
      out.spent = query.read_real();
    } else if (!db_.failed()) {
      fail_unknown(db_, organisation);
    }
    return db_.result(out);
  }

 private:
  double charged_before(const Charged& what) {
    Query query = db_.query("SELECT dollars FROM charges WHERE run = ? AND queued_after = ?");
    query.text(what.run).integer(what.queued_after);
    return query.step() ? query.read_real() : 0;
  }

  std::unique_ptr<Database> owned_;
  Database& db_;
};

base::Result<std::unique_ptr<Database>> open_server_database(const std::string& folder,
                                                             Access access) {
  return open_database(folder, path_of(folder), access, kDirectoryMigrations, "FULL");
}

}  // namespace

bool has_directory(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::exists(path_of(folder), ignored);
}

base::Result<std::unique_ptr<Directory>> open_directory(const std::string& folder, Access access) {
  VIBE_TRY(auto database, open_server_database(folder, access));
  return std::make_unique<SqliteDirectory>(std::move(database));
}

base::Result<std::unique_ptr<Accounts>> open_accounts(const std::string& folder) {
  VIBE_TRY(auto database, open_server_database(folder, Access::read_write));
  return std::make_unique<SqliteAccounts>(std::move(database));
}

base::Result<std::optional<std::string>> organisation_folder(const std::string& folder,
                                                             std::string_view organisation) {
  VIBE_TRY(auto database, open_server_database(folder, Access::read_write));
  Query query = database->query("SELECT folder, slug FROM organisations WHERE id = ?");
  std::optional<std::string> found;
  if (query.text(organisation).step()) {
    found = query.read_text();
    if (!found->empty() && *found != fmt::format("organisations/{}", organisation))
      database->fail(Code::store_damaged,
                     fmt::format("the folder of organisation `{}` is not valid: `{}`",
                                 query.read_text(), base::printable(*found)));
  }
  return database->result(std::move(found));
}

}  // namespace vibe::store
