// The roles of a store on a SqliteSession. Their functions are in one file per topic:
// sqlite_suites.cpp, sqlite_runs.cpp, sqlite_list.cpp (of runs), sqlite_results.cpp,
// sqlite_executions.cpp, sqlite_variables.cpp, sqlite_queue.cpp, sqlite_rescoring.cpp,
// sqlite_cache.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/backend.h"
#include "store/sqlite_session.h"

namespace vibe::store {

// What all roles have: the session, and its database.
class SqliteRole {
 protected:
  explicit SqliteRole(SqliteSession& session) : session_(session), db_(session.db()) {}
  SqliteSession& session_;
  Database& db_;
};

class SqliteSuites final : public Suites, private SqliteRole {
 public:
  explicit SqliteSuites(SqliteSession& session) : SqliteRole(session) {}
  base::Result<std::uint32_t> save(const SuiteEntry& suite, Millis now) override;
  base::Result<std::optional<SuiteEntry>> last(std::string_view name) override;
  base::Result<std::optional<SuiteEntry>> version(std::string_view name,
                                                  std::uint32_t version) override;
  base::Result<std::vector<SuiteEntry>> history(std::string_view name) override;
  base::Result<std::vector<SuiteEntry>> list() override;
};

class SqliteRuns final : public Runs, private SqliteRole {
 public:
  explicit SqliteRuns(SqliteSession& session) : SqliteRole(session) {}
  base::Result<std::optional<score::Run>> find(std::string_view id) override;
  base::Result<std::vector<score::Result>> results(std::string_view run) override;
  base::Result<RunPage> list(const RunQuery& query) override;
  base::Result<std::vector<std::optional<double>>> last_scores(std::string_view suite,
                                                               std::string_view model,
                                                               std::size_t most) override;
  base::Result<std::string> figures(std::string_view run) override;
  base::Result<bool> request_stop(std::string_view run) override;
};

class SqliteExecutions final : public Executions, private SqliteRole {
 public:
  explicit SqliteExecutions(SqliteSession& session) : SqliteRole(session) {}
  base::Result<ExecutionPage> list(const ExecutionQuery& query) override;
  base::Result<std::optional<fitness::ScoredExecution>> find(std::string_view id) override;
  base::Result<std::vector<std::string>> agents() override;
  base::Result<std::vector<std::string>> versions(std::string_view agent) override;
  base::Result<DecisionPage> decisions(const DecisionQuery& query) override;
};

class SqliteVariables final : public Variables, private SqliteRole {
 public:
  explicit SqliteVariables(SqliteSession& session) : SqliteRole(session) {}
  base::Result<void> set(std::string_view name, std::string_view value) override;
  base::Result<std::optional<std::string>> find(std::string_view name) override;
  base::Result<std::vector<Variable>> list() override;
  base::Result<bool> remove(std::string_view name) override;
  base::Result<void> set_secret(std::string_view name, std::string_view value) override;
  base::Result<std::vector<std::string>> secret_names() override;
  base::Result<bool> remove_secret(std::string_view name) override;
};

class SqliteVault final : public Vault, private SqliteRole {
 public:
  explicit SqliteVault(SqliteSession& session) : SqliteRole(session) {}
  base::Result<std::optional<std::string>> open(std::string_view name) override;
};

class SqliteJournal final : public Journal, private SqliteRole {
 public:
  explicit SqliteJournal(SqliteSession& session) : SqliteRole(session) {}
  base::Result<HeldRun> begin(const score::Run& run) override;
  base::Result<HeldRun> take_up(std::string_view run) override;
  base::Result<void> write(const Hold& hold, const score::Run& run,
                           const score::Measured& measured) override;
  base::Result<void> add(const Hold& hold, const score::Result& result) override;
  base::Result<bool> stop_requested(std::string_view run) override;
  base::Result<std::size_t> mark_interrupted() override;
  base::Result<std::vector<std::string>> unmeasured(std::size_t most) override;
  base::Result<void> add_measured(std::string_view run, const score::Measured& measured) override;
  base::Result<void> add_certainty(std::string_view run,
                                   const score::Certainty& certainty) override;
  base::Result<std::vector<std::string>> keep_some(
      std::span<const fitness::ScoredExecution> executions, ExecutionPlaces& places) override;
  base::Result<void> add_decision(const fitness::DecisionRecord& record) override;

 private:
  bool interrupt(std::int64_t number);
  void count_result(std::int64_t number, const score::Result& result);
};

class SqliteFeed final : public Feed, private SqliteRole {
 public:
  explicit SqliteFeed(SqliteSession& session) : SqliteRole(session) {}
  base::Result<std::optional<RunProgress>> progress(std::string_view run) override;
  base::Result<std::vector<Arrival>> arrivals(std::string_view run, std::int64_t after,
                                              std::size_t most) override;
  base::Result<std::vector<Outcome>> outcomes(std::string_view run, std::int64_t until) override;
  base::Result<std::vector<score::Result>> results_from(std::string_view run, std::uint32_t sample,
                                                        std::size_t most) override;
  base::Result<Page<ListedRun>> list(const RunQuery& query) override;
  base::Result<std::vector<score::Run>> runs_of(std::span<const std::string> ids) override;
};

class SqliteQueue final : public Queue, private SqliteRole {
 public:
  explicit SqliteQueue(SqliteSession& session) : SqliteRole(session) {}
  base::Result<std::int64_t> enqueue(const score::Run& run, std::string_view job) override;
  base::Result<std::optional<Claim>> claim(std::string_view worker, double lease) override;
  base::Result<std::optional<Claim>> claim_run(std::string_view run, std::string_view worker,
                                               double lease) override;
  base::Result<void> renew(const Hold& hold, double lease) override;
  base::Result<void> hand_back(const Hold& hold) override;
  base::Result<QueueDepth> depth() override;

 private:
  struct Entry;
  std::unique_ptr<RunLock> queue_again(const score::Run& run, std::int64_t number,
                                       std::string_view status);
  std::optional<Entry> next(std::int64_t after);
  // Sets `is_shut` if the job cannot be opened; null: does not open it.
  std::optional<Claim> take(const Entry& entry, std::string_view worker, double lease,
                            bool* is_shut);
  bool is_free(const Entry& entry);
  Millis end_of(double lease) const;
};

class SqliteRescoring final : public Rescoring, private SqliteRole {
 public:
  explicit SqliteRescoring(SqliteSession& session) : SqliteRole(session) {}
  base::Result<void> visit(const RunQuery& filter, RunVisitor& visitor) override;
  base::Result<std::vector<StoredLayout>> layouts() override;
  base::Result<std::string> figures(RunNumber run) override;
  base::Result<std::vector<RunLabel>> labels(std::span<const RunNumber> runs) override;
  base::Result<void> check_kept(const KeptFormula& formula) override;
  base::Result<void> keep(const KeptFormula& formula, std::span<const NewScore> scores) override;

 private:
  std::vector<ExceptionalRun> exceptions(const RunQuery& filter);  // by number
  // Adds to `seen`. False: the visitor wants no more.
  bool visit_measured(const RunQuery& filter, RunVisitor& visitor, std::size_t& seen);
  void visit_unmeasured(const RunQuery& filter, RunVisitor& visitor);
  std::optional<std::int64_t> find_kept(const KeptFormula& formula);
};

class SqliteCache final : public Cache, private SqliteRole {
 public:
  explicit SqliteCache(SqliteSession& session) : SqliteRole(session) {}
  base::Result<std::optional<std::string>> answer(std::string_view key) override;
  base::Result<void> keep_answer(std::string_view key, std::string_view answer) override;
  base::Result<std::optional<Embedding>> embedding(std::string_view key) override;
  base::Result<void> keep_embedding(std::string_view key, const Embedding& embedding) override;
};

}  // namespace vibe::store
