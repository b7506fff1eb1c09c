// Archive: the stored data of one user, or of one organisation on a server, as people see it:
// suites, runs, agent executions, variables. A server's archive over HTTP has the same interface
// (remote/archive.h); runners and servers have further interfaces (journal.h, feed.h, queue.h,
// cache.h). Every call is all or nothing. Once a call returns, its changes survive the end of the
// process; a power cut may undo the last calls, each as a whole. Belongs to one thread; several
// archives, in one process or in many, may use the same data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "fitness/record.h"
#include "score/run.h"

namespace vibe::store {

using score::Millis;

// One page of a list.
template <class Item>
struct Page {
  std::vector<Item> items;
  std::string next;       // a cursor, or empty at the end
  std::size_t total = 0;  // of all that match, counted up to kMostCounted
};
inline constexpr std::size_t kMostCounted = 10'000;

// Bounds are inclusive; an item without the figure is outside every bound on it. run_filters.h has
// one row per filter of runs.
struct Bounds {
  std::optional<double> least, most;
  bool operator==(const Bounds&) const = default;
};

struct TimeRange {
  std::optional<Millis> from, to;
  bool operator==(const TimeRange&) const = default;
};

// ---- suites

struct SuiteEntry {
  std::string name, text;
  std::string path;  // the file it was read from; empty: none
  std::uint32_t evals = 0;
  std::uint32_t version = 0;  // from 1; each change of the text is a new version
  Millis edited_at = 0;
  std::optional<Millis> last_run_at;
};

class Suites {
 public:
  virtual ~Suites() = default;
  // Adds a new version if the text differs from the last one. Returns the version.
  virtual base::Result<std::uint32_t> save(const SuiteEntry& suite, Millis now) = 0;
  virtual base::Result<std::optional<SuiteEntry>> last(std::string_view name) = 0;
  virtual base::Result<std::optional<SuiteEntry>> version(std::string_view name,
                                                          std::uint32_t version) = 0;
  virtual base::Result<std::vector<SuiteEntry>> history(std::string_view name) = 0;  // newest first
  virtual base::Result<std::vector<SuiteEntry>> list() = 0;  // by name; without their texts
};

// ---- runs

// Runs without the figure come last in either direction.
enum class RunOrder : std::uint8_t { created, success, cost, time, score, price_performance };

struct RunQuery {
  std::size_t limit = 50;
  std::size_t offset = 0;
  std::string after;  // the cursor of the page before; empty: from the start
  std::vector<score::RunStatus> status, status_ne;
  std::string suite;  // empty: any
  std::string model;  // exactly; empty: any
  std::string tag;    // exactly; empty: any
  // `%` matches any text, `_` one character; ASCII letters match either case.
  std::string model_like;
  Bounds cost, success, score, duration;
  TimeRange created, completed;
  RunOrder order = RunOrder::created;
  bool ascending = false;

  bool operator==(const RunQuery&) const = default;
};

struct RunPage {
  std::vector<score::Run> runs;  // without suite texts and explanations
  std::string next;              // a cursor, or empty at the end
  // Of all that match; up to kMostCounted with filters other than the status.
  std::size_t total = 0;
};

class Runs {
 public:
  virtual ~Runs() = default;
  // By id, by its first characters if they are unique (at least 4), or `last` for the newest.
  virtual base::Result<std::optional<score::Run>> find(std::string_view id) = 0;
  virtual base::Result<std::vector<score::Result>> results(std::string_view run) = 0;  // by sample
  virtual base::Result<RunPage> list(const RunQuery& query) = 0;
  // Of completed runs, oldest first.
  virtual base::Result<std::vector<std::optional<double>>> last_scores(std::string_view suite,
                                                                       std::string_view model,
                                                                       std::size_t most) = 0;
  virtual base::Result<std::string> figures(std::string_view run) = 0;  // score/figures.h, or empty
  // Asks the process that works on a run to stop. False if the run is already finished.
  virtual base::Result<bool> request_stop(std::string_view run) = 0;
};

// ---- agent executions, and decisions about them

struct ExecutionQuery {
  std::size_t limit = 50;
  std::size_t offset = 0;
  std::string after = {};  // the cursor of the page before; empty: from the start
  std::optional<std::string> agent = {}, version = {};  // exactly; empty: not known
  std::string session = {};                             // prefix of its id; empty: any
  std::string grade = {}, rubric = {};                  // exactly; empty: any
  Bounds score = {};
  std::optional<Millis> from = {}, to = {};  // of ScoredExecution::time()
};
using ExecutionPage = Page<fitness::ScoredExecution>;

struct DecisionQuery {
  std::size_t limit = 50;
  std::size_t offset = 0;
  std::string after = {};
  std::string agent = {};  // on either side, any version; empty: all
};
using DecisionPage = Page<fitness::DecisionRecord>;

class Executions {
 public:
  virtual ~Executions() = default;
  virtual base::Result<ExecutionPage> list(const ExecutionQuery& query) = 0;  // newest first
  // By id, by its first characters (at least 4), or `last` for the newest.
  virtual base::Result<std::optional<fitness::ScoredExecution>> find(std::string_view id) = 0;
  virtual base::Result<std::vector<std::string>> agents() = 0;  // by name; `` if unknown
  // In the order of first appearance; `` if unknown.
  virtual base::Result<std::vector<std::string>> versions(std::string_view agent) = 0;
  virtual base::Result<DecisionPage> decisions(const DecisionQuery& query) = 0;  // newest first
};

// ---- variables and secrets

// Limits for variables and secrets, in bytes.
inline constexpr std::size_t kMostNameBytes = 128, kMostValueBytes = 64u << 10;

// What every archive refuses with Code::bad_usage: a name that no template can use, a value that is
// too large, a blank secret.
base::Result<void> check_variable(std::string_view name, std::string_view value);
base::Result<void> check_secret(std::string_view name, std::string_view value);

struct Variable {
  std::string name, value;
};

// Only runs may read the values of secrets (Vault in backend.h).
class Variables {
 public:
  virtual ~Variables() = default;
  virtual base::Result<void> set(std::string_view name, std::string_view value) = 0;
  virtual base::Result<std::optional<std::string>> find(std::string_view name) = 0;
  virtual base::Result<std::vector<Variable>> list() = 0;        // by name
  virtual base::Result<bool> remove(std::string_view name) = 0;  // false: there was none
  virtual base::Result<void> set_secret(std::string_view name, std::string_view value) = 0;
  virtual base::Result<std::vector<std::string>> secret_names() = 0;
  virtual base::Result<bool> remove_secret(std::string_view name) = 0;
};

class Archive {
 public:
  virtual ~Archive() = default;
  virtual Suites& suites() = 0;
  virtual Runs& runs() = 0;
  virtual Executions& executions() = 0;
  virtual Variables& variables() = 0;
};

}  // namespace vibe::store
