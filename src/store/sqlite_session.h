// SqliteSession: a connection to the SQLite file of one organisation, with what its roles share:
// finding rows by id prefixes, locks, the key for the secrets, rows of runs. Its functions record
// failures in `db`, and then return 0 or none. Belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/crypto.h"
#include "base/time.h"
#include "score/run.h"
#include "store/database.h"
#include "store/journal.h"

namespace vibe::store {

// Where the key for the secrets is.
struct KeySource {
  std::string file;
  std::optional<base::SealKey> given;  // replaces the file
};

// The SQL condition for runs that are not finished.
const std::string& unfinished();

// Reads the next column of a row, a count.
inline std::uint32_t read_count(Query& row) {
  return static_cast<std::uint32_t>(row.read_integer());
}

class SqliteSession {
 public:
  SqliteSession(std::string folder, KeySource key, std::function<score::Millis()> now,
                std::unique_ptr<Database> database)
      : folder_(std::move(folder)),
        key_(std::move(key)),
        now_(std::move(now)),
        owned_(std::move(database)) {}

  Database& db() { return *owned_; }
  score::Millis now() const { return now_(); }  // the clock for leases
  void fail_damaged(std::string_view what);
  void fail_held(std::string why);  // Code::run_held

  // The number of a row by its id, or by an id prefix. The table has the name of its items.
  std::optional<std::int64_t> find(std::string_view table, std::string_view id_or_prefix);
  std::int64_t run_number(std::string_view id);      // Code::not_found
  std::unique_ptr<RunLock> lock(std::int64_t byte);  // null: already held
  std::int64_t text_number(std::string_view text);   // stored if it is new

  std::int64_t insert_run(const score::Run& run);  // returns its number
  void overwrite_run(std::int64_t number, const score::Run& run);
  // Replaces what was measured, and removes scores that were kept of it. Call it after the run was
  // written.
  void store_measured(std::int64_t number, const score::Measured& measured);
  std::optional<score::Run> read_run(std::int64_t number);  // with its texts
  // Code::lease_lost unless the hold is valid. Call it within the write.
  void check_hold(const Hold& hold, std::int64_t number);
  void fail_lease(std::string_view run);

  std::optional<base::SealKey> key();          // none: no key file
  std::optional<base::SealKey> sealing_key();  // created if missing; within a write
  void fail_key(std::string_view why);

 private:
  void keep_run_texts(std::int64_t number, const score::Run& run);
  std::int64_t layout_number(std::string_view layout);  // stored if it is new
  bool opens_secrets(const base::SealKey& key);

  std::string folder_;
  KeySource key_;
  std::function<score::Millis()> now_;
  std::unique_ptr<Database> owned_;
  std::unordered_map<std::string, std::int64_t> numbers_;  // of recently used runs
};

// The columns of a run without its texts, and how to read a row of them. False: it is damaged.
const std::string& run_columns();
bool read_run_row(Query& row, score::Run& run);

// The place of a result.
constexpr std::int64_t place_of(std::int64_t run, std::uint32_t sample) {
  return run * (std::int64_t{1} << 32) + sample;
}

}  // namespace vibe::store
