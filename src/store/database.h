// Database: a thin wrapper over SQLite's C interface: one connection, cached prepared statements,
// transactions. Failures stick: after the first one nothing more is done, until `result` returns it
// as diagnostics. So a sequence of statements needs one check, at its end. Does not know what is
// stored. Belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <sqlite3.h>

#include "base/diagnostic.h"

namespace vibe::store {

class Database;

// One use of a statement: binds parameters and reads columns in order. Bound values must outlive
// it. The statement can be used again when this is destroyed.
class Query {
 public:
  Query(Query&& other) noexcept : database_(other.database_), statement_(other.statement_) {
    other.statement_ = nullptr;
  }
  Query& operator=(Query&&) = delete;
  ~Query();

  Query& null();
  Query& integer(std::int64_t value);
  Query& real(double value);
  Query& text(std::string_view value);
  Query& blob(std::string_view value);  // any bytes
  template <class Number>
  Query& integer(const std::optional<Number>& value) {
    return value ? integer(static_cast<std::int64_t>(*value)) : null();
  }
  Query& real(const std::optional<double>& value) { return value ? real(*value) : null(); }

  bool step();  // to the next row; false: no more rows, or a failure
  void run() {
    while (step()) {
    }
  }

  std::int64_t read_integer();
  double read_real();
  std::string_view read_view();  // a text or a blob, valid until the next step; empty for null
  std::string read_text() { return std::string(read_view()); }
  std::optional<std::int64_t> read_optional_integer();
  std::optional<double> read_optional_real();

 private:
  friend class Database;
  Query(Database& database, sqlite3_stmt* statement);  // null: after a failure
  Query& bound(int code);

  Database* database_;
  sqlite3_stmt* statement_;
  int parameter_ = 0, column_ = 0;
};

class Database {
 public:
  static constexpr int kBusyMillis = 10'000;  // how long to wait for a lock

  enum class Mode : std::uint8_t {
    create,
    read_only,  // while others write; creates a file for the memory shared with them
    // If no file can be created: without locks, so only for files that nobody writes to. SQLite
    // reads a database with a log (`-wal`) and one without in different ways.
    read_log,
    read_frozen,
  };

  // New files get the mode bits of the file `mode_of`.
  Database(std::string path, Mode mode, const std::string& mode_of = {});
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  Query query(std::string_view sql);
  void execute(const char* sql);  // statements without parameters and rows
  // The same, but retries while another connection is in the way, as long as it would wait for a
  // lock. For operations that SQLite refuses at once, like changing the journal.
  void execute_patiently(const char* sql);
  std::int64_t changes() const { return sqlite3_changes64(handle_); }
  std::int64_t last_row() const { return sqlite3_last_insert_rowid(handle_); }

  bool failed() const { return failure_.has_value(); }
  bool lacks_files() const;  // the failure is a file that could not be created or written
  void fail(base::Code code, std::string message, std::string hint = {});
  void fail(base::Diagnostics diagnostics);

  // The value, or the failure since the last call.
  template <class T>
  base::Result<T> result(T value) {
    if (failure_) return take_failure();
    return value;
  }
  base::Result<void> result();
  tl::unexpected<base::Diagnostics> take_failure();

  const std::string& path() const { return path_; }

 private:
  friend class Query;
  void fail(int code);

  std::string path_;
  sqlite3* handle_ = nullptr;
  void forget_statements();

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, sqlite3_stmt*, Hash, std::equal_to<>> statements_;
  std::size_t in_use_ = 0;  // queries
  std::optional<base::Diagnostics> failure_;
  int failure_code_ = SQLITE_OK;  // SQLite's code of the last failure
};

// Rolled back when destroyed, unless committed.
class Transaction {
 public:
  enum class Kind : std::uint8_t { read, write };  // a write takes the only write lock at the start
  Transaction(Database& database, Kind kind);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_;
};

}  // namespace vibe::store
