#include "store/database.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "base/file.h"

namespace vibe::store {

using base::Code;

namespace {

constexpr std::string_view kElsewhere =
    "make the file and its folder writable, or set `VIBECHECK_HOME` to a folder that is";
constexpr std::string_view kDamaged =
    "it was not changed; move it away to start again, or recover what is left with `sqlite3 FILE "
    ".recover`";

// What can go wrong with a database. Other failures are shown in SQLite's own words.
struct Failure {
  int code;  // SQLite's primary code
  Code is;
  std::string_view why, hint;
};
constexpr std::array kFailures{
    Failure{SQLITE_NOTADB, Code::store_damaged, "it is not a database", kDamaged},
    Failure{SQLITE_CORRUPT, Code::store_damaged, "it is damaged", kDamaged},
    Failure{SQLITE_BUSY, Code::store_unusable, "it is locked by another process",
            "wait for the other process, or end it"},
    Failure{SQLITE_FULL, Code::store_unusable, "the disk is full",
            "make room, or set `VIBECHECK_HOME` to a folder on another disk"},
    Failure{SQLITE_READONLY, Code::store_unusable, "it cannot be written", kElsewhere},
    Failure{SQLITE_PERM, Code::store_unusable, "permission denied", kElsewhere},
    Failure{SQLITE_CANTOPEN, Code::store_unusable, "it cannot be opened", kElsewhere},
    Failure{SQLITE_TOOBIG, Code::store_unusable, "a value is too large to store", ""},
    Failure{SQLITE_NOMEM, Code::store_unusable, "out of memory", ""},
    Failure{SQLITE_IOERR, Code::store_unusable, "it cannot be read or written", ""},
};

constexpr std::size_t kMostStatements = 200;  // in the cache

// A path as part of a `file:` address.
std::string escaped(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#' || c == '&' || c == '=')
      out += fmt::format("%{:02x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

int flags_of(Database::Mode mode) {
  constexpr int kAlways = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (mode) {
    case Database::Mode::create: return kAlways | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case Database::Mode::read_only:
    case Database::Mode::read_log:
    case Database::Mode::read_frozen: return kAlways | SQLITE_OPEN_READONLY;
  }
  std::abort();
}

// Memory statistics cost a lock per allocation, shared by all threads. If other code already uses
// SQLite, this changes nothing.
void configure() {
  static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(once);
}

// Smaller than a database header, but not empty: SQLite takes a one-byte file for an empty one.
bool is_too_small(const std::string& path) {
  constexpr std::uintmax_t kHeaderBytes = 100;
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return !error && size > 0 && size < kHeaderBytes;
}

}  // namespace

// ---- Query

Query::Query(Database& database, sqlite3_stmt* statement)
    : database_(&database), statement_(statement) {
  if (statement_) ++database_->in_use_;
}

Query::~Query() {
  if (!statement_) return;
  --database_->in_use_;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Query& Query::bound(int code) {
  if (code != SQLITE_OK) database_->fail(code);
  return *this;
}

Query& Query::null() {
  ++parameter_;  // an unbound parameter is null
  return *this;
}

Query& Query::integer(std::int64_t value) {
  ++parameter_;
  return statement_ ? bound(sqlite3_bind_int64(statement_, parameter_, value)) : *this;
}

Query& Query::real(double value) {
  ++parameter_;
  return statement_ ? bound(sqlite3_bind_double(statement_, parameter_, value)) : *this;
}

Query& Query::text(std::string_view value) {
  ++parameter_;
  if (!statement_) return *this;
  const char* data = value.data() ? value.data() : "";
  return bound(
      sqlite3_bind_text64(statement_, parameter_, data, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

Query& Query::blob(std::string_view value) {
  ++parameter_;
  if (!statement_) return *this;
  const char* data = value.data() ? value.data() : "";
  return bound(sqlite3_bind_blob64(statement_, parameter_, data, value.size(), SQLITE_STATIC));
}

bool Query::step() {
  if (database_->failed()) return false;
  column_ = 0;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->fail(code);
  return false;
}

std::int64_t Query::read_integer() { return sqlite3_column_int64(statement_, column_++); }
double Query::read_real() { return sqlite3_column_double(statement_, column_++); }

std::string_view Query::read_view() {
  const int column = column_++;
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return data ? std::string_view(data, size) : std::string_view();
}

std::optional<std::int64_t> Query::read_optional_integer() {
  const bool is_null = sqlite3_column_type(statement_, column_) == SQLITE_NULL;
  const std::int64_t value = read_integer();
  return is_null ? std::nullopt : std::optional(value);
}

std::optional<double> Query::read_optional_real() {
  const bool is_null = sqlite3_column_type(statement_, column_) == SQLITE_NULL;
  const double value = read_real();
  return is_null ? std::nullopt : std::optional(value);
}

// ---- Database

Database::Database(std::string path, Mode mode, const std::string& mode_of)
    : path_(std::move(path)) {
  configure();
  std::string address = "file:" + escaped(path_);
  if (!mode_of.empty()) address += "?modeof=" + escaped(mode_of);
  if (mode == Mode::read_log) address += "?vfs=unix-none";  // locks nothing
  if (mode == Mode::read_frozen) address += "?immutable=1";
  const int code = sqlite3_open_v2(address.c_str(), &handle_, flags_of(mode), nullptr);
  if (code != SQLITE_OK)
    fail(code);
  else if (is_too_small(path_))
    fail(SQLITE_NOTADB);
  else
    sqlite3_busy_timeout(handle_, kBusyMillis);
  if (mode != Mode::read_log || failed()) return;
  // Then the shared state stays in private memory: no file is created for it.
  execute("PRAGMA locking_mode = EXCLUSIVE");
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);  // keep the log
}

Database::~Database() {
  forget_statements();
  sqlite3_close(handle_);
}

void Database::forget_statements() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  statements_.clear();
}

void Database::fail(Code code, std::string message, std::string hint) {
  if (failure_) return;
  failure_.emplace();
  failure_->add(code, {}, std::move(message), std::move(hint));
}

void Database::fail(base::Diagnostics diagnostics) {
  if (!failure_) failure_ = std::move(diagnostics);
}

bool Database::lacks_files() const {
  const int code = failure_code_ & 0xff;
  return failed() && (code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_IOERR ||
                      code == SQLITE_FULL);
}

void Database::fail(int code) {
  if (!failure_) failure_code_ = code;
  const int error = handle_ ? sqlite3_system_errno(handle_) : 0;
  for (const Failure& row : kFailures) {
    if (row.code != (code & 0xff)) continue;
    std::string why(row.why);
    const bool from_system = row.code == SQLITE_CANTOPEN || row.code == SQLITE_IOERR;
    if (from_system && error != 0) why += fmt::format(": {}", base::reason(error));
    return fail(row.is, fmt::format("cannot use the store `{}`: {}", path_, why),
                from_system ? base::hint_for(error, row.hint) : std::string(row.hint));
  }
  fail(Code::store_unusable, fmt::format("cannot use the store `{}`: {}", path_,
                                         handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code)));
}

base::Result<void> Database::result() {
  if (failure_) return take_failure();
  return {};
}

tl::unexpected<base::Diagnostics> Database::take_failure() {
  tl::unexpected<base::Diagnostics> out(std::move(*failure_));
  failure_.reset();
  return out;
}

Query Database::query(std::string_view sql) {
  if (failed()) return {*this, nullptr};
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    // Filters have more forms than the cache has room for.
    if (statements_.size() >= kMostStatements && in_use_ == 0) forget_statements();
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) {
      fail(code);
      return {*this, nullptr};
    }
    found = statements_.emplace(sql, statement).first;
  }
  return {*this, found->second};
}

void Database::execute(const char* sql) {
  if (failed()) return;
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

void Database::execute_patiently(const char* sql) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(kBusyMillis);
  while (!failed()) {
    const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    if ((code & 0xff) != SQLITE_BUSY || Clock::now() > deadline) return fail(code);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// ---- Transaction

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database.query(kind == Kind::read ? "BEGIN" : "BEGIN IMMEDIATE").run();
  open_ = !database.failed();
}

Transaction::~Transaction() {
  if (!open_) return;
  // After some failures SQLite has already rolled back; ignore that this fails then.
  base::Diagnostics before;
  if (database_.failed()) before = std::move(database_.take_failure().value());
  database_.query("ROLLBACK").run();
  if (database_.failed()) static_cast<void>(database_.take_failure());
  if (before.failed()) database_.fail(std::move(before));
}

void Transaction::commit() {
  database_.query("COMMIT").run();
  if (!database_.failed()) open_ = false;
}

}  // namespace vibe::store
