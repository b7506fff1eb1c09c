// SqliteStore: the Store of store/sqlite.h. Its functions stand in sqlite_runs.cpp,
// sqlite_list.cpp, sqlite_results.cpp, sqlite_queue.cpp, sqlite_executions.cpp, sqlite_suites.cpp
// and sqlite_values.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/crypto.h"
#include "store/database.h"
#include "store/store.h"

namespace vibe::store {

// Where the key of the secrets is.
struct KeySource {
  std::string file;
  std::optional<base::SealKey> given;  // instead of the file
};

// The next column of a row, which holds a count.
inline std::uint32_t read_count(Query& row) {
  return static_cast<std::uint32_t>(row.read_integer());
}

class SqliteStore final : public Store {
 public:
  SqliteStore(std::string folder, KeySource key, std::unique_ptr<Database> database)
      : folder_(std::move(folder)),
        key_(std::move(key)),
        owned_(std::move(database)),
        db_(*owned_) {}

  base::Result<std::uint32_t> save_suite(const SuiteEntry& suite, Millis now) override;
  base::Result<std::optional<SuiteEntry>> suite(std::string_view name) override;
  base::Result<std::optional<SuiteEntry>> suite_version(std::string_view name,
                                                        std::uint32_t version) override;
  base::Result<std::vector<SuiteEntry>> suite_history(std::string_view name) override;
  base::Result<std::vector<SuiteEntry>> suites() override;

  base::Result<std::unique_ptr<RunLock>> add_run(const score::Run& run) override;
  base::Result<std::unique_ptr<RunLock>> hold_run(std::string_view id) override;
  base::Result<void> update_run(const score::Run& run, std::string_view figures) override;
  base::Result<void> add_result(std::string_view run, const score::Result& result) override;
  base::Result<std::optional<score::Run>> run(std::string_view id) override;
  base::Result<std::vector<score::Result>> results(std::string_view run) override;
  base::Result<std::vector<score::Result>> results_from(std::string_view run, std::uint32_t sample,
                                                        std::size_t most) override;
  base::Result<RunPage> runs(const RunQuery& query) override;
  base::Result<Page<ListedRun>> list_runs(const RunQuery& query) override;
  base::Result<std::vector<score::Run>> runs_of(std::span<const std::string> ids) override;
  base::Result<std::vector<std::optional<double>>> last_scores(std::string_view suite,
                                                               std::size_t most) override;
  base::Result<std::string> figures(std::string_view run) override;
  base::Result<bool> request_stop(std::string_view run) override;
  base::Result<bool> stop_requested(std::string_view run) override;
  base::Result<std::optional<RunProgress>> progress(std::string_view run) override;
  base::Result<std::vector<Arrival>> arrivals(std::string_view run, std::int64_t after,
                                              std::size_t most) override;
  base::Result<std::vector<Outcome>> outcomes(std::string_view run, std::int64_t until) override;

  base::Result<void> enqueue(const score::Run& run, std::string_view order) override;
  base::Result<std::optional<Claim>> claim(std::string_view worker, Millis now,
                                           Millis until) override;
  base::Result<void> renew(std::string_view run, std::string_view worker, Millis until) override;
  base::Result<void> hand_back(std::string_view run, std::string_view worker) override;
  base::Result<QueueDepth> queue_depth() override;
  base::Result<std::size_t> mark_interrupted(Millis now) override;

  base::Result<std::vector<std::string>> keep_some(
      std::span<const fitness::ScoredExecution> executions, ExecutionPlaces& places) override;
  base::Result<ExecutionPage> executions(const ExecutionQuery& query) override;
  base::Result<std::optional<fitness::ScoredExecution>> execution(std::string_view id) override;
  base::Result<std::vector<std::string>> agents() override;
  base::Result<std::vector<std::string>> agent_versions(std::string_view agent) override;

  base::Result<void> add_decision(const fitness::DecisionRecord& record) override;
  base::Result<DecisionPage> decisions(const DecisionQuery& query) override;

  base::Result<void> set_variable(std::string_view name, std::string_view value) override;
  base::Result<std::optional<std::string>> variable(std::string_view name) override;
  base::Result<std::vector<Variable>> variables() override;
  base::Result<bool> delete_variable(std::string_view name) override;
  base::Result<void> set_secret(std::string_view name, std::string_view value) override;
  base::Result<std::optional<std::string>> secret(std::string_view name) override;
  base::Result<std::vector<std::string>> secrets() override;
  base::Result<bool> delete_secret(std::string_view name) override;

  base::Result<std::optional<std::string>> answer(std::string_view key) override;
  base::Result<void> keep_answer(std::string_view key, std::string_view answer) override;
  base::Result<std::optional<Embedding>> embedding(std::string_view key) override;
  base::Result<void> keep_embedding(std::string_view key, const Embedding& embedding) override;

 private:
  struct Job;

  // These say in `db_` what failed, and give 0 or none then.
  std::int64_t number_of(std::string_view id);  // Code::not_found
  // Of a row of a table (which is called as what is in it) by its id, or by the beginning of one.
  std::optional<std::int64_t> find(std::string_view table, std::string_view id_or_prefix);
  std::optional<std::int64_t> find_run(std::string_view id_or_prefix);
  std::optional<std::int64_t> newest_run();
  std::unique_ptr<RunLock> lock(std::int64_t byte);  // null: it is held
  std::int64_t text_number(std::string_view text);   // kept if it is new
  std::int64_t insert_run(const score::Run& run);    // its number
  void overwrite_run(std::int64_t number, const score::Run& run, std::string_view figures);
  void keep_run_texts(std::int64_t number, const score::Run& run, std::string_view figures);
  std::optional<score::Run> read_whole_run(std::int64_t number);  // with its texts
  bool interrupt(std::int64_t number, Millis now);
  std::int64_t queue_again(const score::Run& run, std::int64_t number, std::string_view status);
  std::optional<Job> next_job(std::int64_t after, Millis now);
  std::optional<Claim> take(const Job& job, std::string_view worker, Millis until, bool& is_shut);
  bool is_gone(std::int64_t claim);  // the process that made it
  void check_claim(std::int64_t number, std::string_view id);
  void count_result(std::int64_t number, const score::Result& result);
  void fail_lease(std::string_view run);
  std::optional<fitness::ScoredExecution> read_execution(std::int64_t number);
  std::optional<std::int64_t> kept_execution(const fitness::ScoredExecution& scored,
                                             std::int64_t place);
  std::string keep(const fitness::ScoredExecution& scored, std::int64_t place);
  void add_next_run(Query& row, std::vector<score::Run>& out);  // if there is one
  void fail_damaged(std::string_view what);
  std::optional<base::SealKey> key();          // none: there is no key file
  std::optional<base::SealKey> sealing_key();  // made if it is missing; within a write
  bool opens_secrets(const base::SealKey& key);
  void fail_key(std::string_view why);

  std::string folder_;
  KeySource key_;
  std::unique_ptr<Database> owned_;
  Database& db_;
  std::unordered_map<std::string, std::int64_t> numbers_;  // of runs that were worked on
  // What this store claimed, by the run's number, as long as the claim's lock is there.
  std::unordered_map<std::int64_t, std::weak_ptr<const std::int64_t>> claims_;
};

// What is kept of a run but its texts: the columns, and how a row of them is read. False: it is
// damaged.
extern const std::string_view kRunColumns;
bool read_run(Query& row, score::Run& run);

// Where a result is kept.
constexpr std::int64_t place_of(std::int64_t run, std::uint32_t sample) {
  return run * (std::int64_t{1} << 32) + sample;
}

std::string database_path(const std::string& folder);
std::string lock_path(const std::string& folder);

}  // namespace vibe::store
