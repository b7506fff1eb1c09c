// Store: keeps suites, runs with their results, scored executions of agents, decisions about them,
// variables, secrets and answers. Speaks of the
// domain alone; how it is kept is the business of the file behind it (store/sqlite.h). Every
// call is all or nothing, and what it wrote survives the end of the process once it returns (not
// always a power cut, which may take the last calls back, each as a whole). A Store belongs to one
// thread; several stores, in one process or in many, may work on the same data at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "fitness/record.h"
#include "score/run.h"

namespace vibe::store {

using score::Millis;

struct SuiteEntry {
  std::string name, text;
  std::string path;  // the file that it was read from; empty: none
  std::uint32_t evals = 0;
  std::uint32_t version = 0;  // from 1; each edit of the text is a new one
  Millis edited_at = 0;
  std::optional<Millis> last_run_at;
};

// Limits of variables and secrets, in bytes.
inline constexpr std::size_t kMostNameBytes = 128, kMostValueBytes = 64u << 10;

// What every store refuses, as Code::bad_usage: a name that no template can have, a value that is
// too large, a blank secret.
base::Result<void> check_variable(std::string_view name, std::string_view value);
base::Result<void> check_secret(std::string_view name, std::string_view value);

struct Variable {
  std::string name, value;
};

struct Embedding {
  std::vector<float> vector;
  std::optional<std::int64_t> tokens;
  std::optional<double> cost;  // US dollars
};

// By what runs are ordered. Runs without the figure come last in either direction.
enum class RunOrder : std::uint8_t { created, success, cost, time, score, price_performance };

// Bounds are inclusive; a run without the figure is outside every bound on it.
struct Bounds {
  std::optional<double> least, most;
};

struct RunQuery {
  std::size_t limit = 50;
  std::size_t offset = 0;
  std::string after;  // the cursor of the page before; empty: from the start
  std::vector<score::RunStatus> status, status_ne;
  std::string suite;       // empty: any
  std::string model;       // exactly; empty: any
  std::string model_like;  // `%` any run, `_` one character, in either case of ASCII letters
  Bounds cost, success, score, duration;
  std::optional<Millis> created_from, created_to, completed_from, completed_to;
  RunOrder order = RunOrder::created;
  bool ascending = false;
};

struct RunPage {
  std::vector<score::Run> runs;  // without texts of suites and explanations
  std::string next;              // a cursor, or empty at the end
  std::size_t total = 0;         // of all that fit; with other filters than by status counted up
                                 // to kMostCounted
};
inline constexpr std::size_t kMostCounted = 10'000;

// A part of a list.
template <class Item>
struct Page {
  std::vector<Item> items;
  std::string next;       // a cursor, or empty at the end
  std::size_t total = 0;  // of all that fit, counted up to kMostCounted
};

// What a list tells of a run. The stamp rises with each change of what lists show of the run, so
// that who has seen it with the same stamp knows how it looks.
struct ListedRun {
  std::string id;
  std::int64_t stamp = 0;
};

struct ExecutionQuery {
  std::size_t limit = 50;
  std::size_t offset = 0;
  std::string after = {};  // the cursor of the page before; empty: from the start
  std::optional<std::string> agent = {},
                             version = {};  // exactly; empty: those of which it is not known
  std::string session = {};                 // the beginning of its id; empty: any
  std::string grade = {}, rubric = {};      // exactly; empty: any
  Bounds score = {};
  std::optional<Millis> from = {}, to = {};  // of ScoredExecution::time()
};
using ExecutionPage = Page<fitness::ScoredExecution>;

// How many executions were kept so far of one session and start, by a hash of what tells them.
using ExecutionPlaces = std::unordered_map<std::size_t, std::int64_t>;

struct DecisionQuery {
  std::size_t limit = 50;
  std::size_t offset = 0;
  std::string after = {};
  std::string agent = {};  // of either side, in any version; empty: all
};
using DecisionPage = Page<fitness::DecisionRecord>;

// The figures of a run that a formula can be evaluated on again, without its texts.
struct RunFigures {
  std::string run;
  std::string figures;  // score/figures.h
};

// A result, and its place among those of its run in the order in which they came: from 1, and
// larger for each that is added later.
struct Arrival {
  std::int64_t number = 0;
  score::Result result;
};

// Of a result, what those want to know who only count.
struct Outcome {
  std::uint32_t sample = 0;
  bool passed = false;
};

struct RunProgress {
  score::RunStatus status = score::RunStatus::queued;
  std::int64_t last_arrival = 0;  // 0: there is no result yet
  std::uint32_t planned = 0;      // samples
};

struct QueueDepth {
  std::size_t waiting = 0, claimed = 0;
};

// Held while a run is at work; a run that nobody holds any more was interrupted.
class RunLock {
 public:
  virtual ~RunLock() = default;
};

// A run of the queue that a worker has got.
struct Claim {
  score::Run run;
  std::string order;  // as it was given to enqueue()
  // Since a worker brought a result; those that were handed back are not counted.
  std::uint32_t earlier_claims = 0;
  std::unique_ptr<RunLock> lock;  // to be kept as long as the run is worked on
};

// What is kept of one user, or of one organisation of a server: nothing here reaches another's.
class Store {
 public:
  virtual ~Store() = default;

  // ---- suites
  // A new version where the text differs from the last one. Returns the version.
  virtual base::Result<std::uint32_t> save_suite(const SuiteEntry& suite, Millis now) = 0;
  virtual base::Result<std::optional<SuiteEntry>> suite(
      std::string_view name) = 0;  // the last version
  virtual base::Result<std::optional<SuiteEntry>> suite_version(std::string_view name,
                                                                std::uint32_t version) = 0;
  virtual base::Result<std::vector<SuiteEntry>> suite_history(
      std::string_view name) = 0;                              // newest first
  virtual base::Result<std::vector<SuiteEntry>> suites() = 0;  // by name; without their texts

  // ---- runs
  // The run is then held by this process.
  virtual base::Result<std::unique_ptr<RunLock>> add_run(const score::Run& run) = 0;
  // Takes a finished run up again. Fails if it is held by another process.
  virtual base::Result<std::unique_ptr<RunLock>> hold_run(std::string_view id) = 0;
  // Everything but its results; `figures` (score/figures.h) may be empty.
  virtual base::Result<void> update_run(const score::Run& run, std::string_view figures) = 0;
  // A result of the same sample is replaced.
  virtual base::Result<void> add_result(std::string_view run, const score::Result& result) = 0;
  // By id, or by the first characters of one where no other begins with them (at least 4), or
  // `last` for the newest.
  virtual base::Result<std::optional<score::Run>> run(std::string_view id) = 0;
  virtual base::Result<std::vector<score::Result>> results(std::string_view run) = 0;  // by sample
  // At most `most`, from this sample on.
  virtual base::Result<std::vector<score::Result>> results_from(std::string_view run,
                                                                std::uint32_t sample,
                                                                std::size_t most) = 0;
  virtual base::Result<RunPage> runs(const RunQuery& query) = 0;
  // The same list in two steps, for who keeps what it made of runs: which runs are there, and then
  // those that it has not seen yet. The total is as of runs().
  virtual base::Result<Page<ListedRun>> list_runs(const RunQuery& query) = 0;
  // In the order of the ids, as runs() has them; without those that are not there.
  virtual base::Result<std::vector<score::Run>> runs_of(std::span<const std::string> ids) = 0;
  virtual base::Result<std::vector<std::optional<double>>> last_scores(
      std::string_view suite,
      std::size_t most) = 0;  // oldest first; without runs of nothing but errors
  virtual base::Result<std::string> figures(std::string_view run) = 0;  // empty: none kept

  // Asks a run, whoever holds it, to stop. False if it is finished already.
  virtual base::Result<bool> request_stop(std::string_view run) = 0;
  virtual base::Result<bool> stop_requested(std::string_view run) = 0;

  // None: there is no such run.
  virtual base::Result<std::optional<RunProgress>> progress(std::string_view run) = 0;
  // In the order in which they came: at most `most`, of those after the arrival `after`.
  virtual base::Result<std::vector<Arrival>> arrivals(std::string_view run, std::int64_t after,
                                                      std::size_t most) = 0;
  // By sample: of the results that are there, those that came until the arrival `until`.
  virtual base::Result<std::vector<Outcome>> outcomes(std::string_view run, std::int64_t until) = 0;

  // ---- the queue of a server
  // Keeps the run as queued, with what a worker has to know besides, which is sealed as secrets
  // are. One that is there and finished already is queued again; Code::run_held: it is there, and
  // not finished.
  virtual base::Result<void> enqueue(const score::Run& run, std::string_view order) = 0;
  // The oldest run that nobody works on: it was never claimed, its worker is gone, or has let its
  // lease run out. It is then `worker`'s until `until`, and as long as the claim's lock is there
  // what this store writes about it (add_result, update_run) fails with Code::lease_lost once it is
  // not that worker's any more. A run that is updated as finished leaves the queue with that.
  // Code::store_key: runs wait, but the key opens none of their orders.
  virtual base::Result<std::optional<Claim>> claim(std::string_view worker, Millis now,
                                                   Millis until) = 0;
  virtual base::Result<void> renew(std::string_view run, std::string_view worker,
                                   Millis until) = 0;  // Code::lease_lost
  // Queued again, for whoever comes next. Code::lease_lost
  virtual base::Result<void> hand_back(std::string_view run, std::string_view worker) = 0;
  virtual base::Result<QueueDepth> queue_depth() = 0;

  // Marks runs as failed whose process is gone; those of the queue wait for another worker
  // instead. Returns how many.
  virtual base::Result<std::size_t> mark_interrupted(Millis now) = 0;

  // ---- executions of agents
  // All or none. One that is kept already, of the same agent and version, with the same session id
  // (the same file where its log gives none) and the same start, is replaced and keeps its id;
  // where nothing but the time of scoring differs it stays as it is. Logs of benchmarks name tasks
  // where others name sessions: the start tells one attempt from the next. Several of one session
  // and start among `executions` are told apart by their order. One with neither session nor file
  // is always new. The ids, in order.
  base::Result<std::vector<std::string>> keep_executions(
      std::span<const fitness::ScoredExecution> executions) {
    ExecutionPlaces places;
    return keep_some(executions, places);
  }
  // The same of a part of very many; `places` goes from each part to the next.
  virtual base::Result<std::vector<std::string>> keep_some(
      std::span<const fitness::ScoredExecution> executions, ExecutionPlaces& places) = 0;
  virtual base::Result<ExecutionPage> executions(const ExecutionQuery& query) = 0;  // newest first
  // By id, by the first characters of one (at least 4), or `last` for the newest.
  virtual base::Result<std::optional<fitness::ScoredExecution>> execution(std::string_view id) = 0;
  virtual base::Result<std::vector<std::string>> agents() = 0;  // by name; `` where it is not known
  // In the order in which they first appeared; `` where it is not known.
  virtual base::Result<std::vector<std::string>> agent_versions(std::string_view agent) = 0;

  // ---- decisions
  virtual base::Result<void> add_decision(const fitness::DecisionRecord& decision) = 0;
  virtual base::Result<DecisionPage> decisions(const DecisionQuery& query) = 0;  // newest first

  // ---- variables and secrets
  virtual base::Result<void> set_variable(std::string_view name, std::string_view value) = 0;
  virtual base::Result<std::optional<std::string>> variable(std::string_view name) = 0;
  virtual base::Result<std::vector<Variable>> variables() = 0;            // by name
  virtual base::Result<bool> delete_variable(std::string_view name) = 0;  // false: there was none
  virtual base::Result<void> set_secret(std::string_view name, std::string_view value) = 0;
  virtual base::Result<std::optional<std::string>> secret(
      std::string_view name) = 0;                                // for a run alone
  virtual base::Result<std::vector<std::string>> secrets() = 0;  // their names
  virtual base::Result<bool> delete_secret(std::string_view name) = 0;

  // ---- answers of models, by the hash of what was asked
  virtual base::Result<std::optional<std::string>> answer(std::string_view key) = 0;
  virtual base::Result<void> keep_answer(std::string_view key, std::string_view answer) = 0;

  // ---- embeddings, by the hash of embedder and text
  virtual base::Result<std::optional<Embedding>> embedding(std::string_view key) = 0;
  virtual base::Result<void> keep_embedding(std::string_view key, const Embedding& embedding) = 0;
};

}  // namespace vibe::store
