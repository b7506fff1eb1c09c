// Rescoring: reads the stored measurements (score/measured.h) of all runs, to score them by other
// formulas, and stores the new scores beside those of the runs, which never change.
// Runs have numbers here, which are cheaper than ids and rise with each new run. Every call is all
// or nothing. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "score/rescored.h"
#include "score/run.h"
#include "store/archive.h"

namespace vibe::store {

using RunNumber = std::int64_t;

struct MeasuredRun {
  RunNumber number = 0;
  std::int64_t layout = 0;  // the number of its score::InputLayout
  std::optional<double> score, min_score;
  std::string_view inputs;  // doubles, little-endian; NaN: undefined. Valid during the call
};

// A run that is not a completed run of a whole suite, or that was not measured.
struct ExceptionalRun {
  RunNumber number = 0;
  score::RunStatus status = score::RunStatus::completed;
  bool is_part = false;  // of its suite: `--only`
  bool is_all_errors = false, is_measured = true;
  std::optional<double> score;
};

// Sees the runs of a query.
class RunVisitor {
 public:
  virtual ~RunVisitor() = default;
  // First: how many match, and those that are not like the others.
  virtual void on_begin(std::size_t runs, std::vector<ExceptionalRun> exceptions) = 0;
  // Then each that was measured, by number. False: no more.
  virtual bool on_run(const MeasuredRun& run) = 0;
  // At the end: completed runs that were not measured.
  virtual void on_unmeasured(const ExceptionalRun& run) = 0;
};

struct RunLabel {
  RunNumber number = 0;
  std::string id, suite, model;
  Millis created_at = 0;
};

// Which values were stored, for the runs that have this number.
struct StoredLayout {
  std::int64_t number = 0;
  std::string encoded;  // score::InputLayout
};

// A formula whose scores are kept under a name. The definition says how they were computed, with
// metrics: two formulas with the same definition are the same.
struct KeptFormula {
  std::string name, formula, definition;
};
struct NewScore {
  RunNumber number = 0;
  std::optional<double> score;
  std::string_view error;
};

class Rescoring {
 public:
  virtual ~Rescoring() = default;
  // One snapshot of the runs that match the filters of a query; its page and order do not matter.
  // The visitor may call figures().
  virtual base::Result<void> visit(const RunQuery& query, RunVisitor& visitor) = 0;
  virtual base::Result<std::vector<StoredLayout>> layouts() = 0;  // of all runs
  virtual base::Result<std::string> figures(RunNumber run) = 0;   // score/figures.h, or empty
  // In order; leaves out runs that are gone.
  virtual base::Result<std::vector<RunLabel>> labels(std::span<const RunNumber> runs) = 0;
  // Code::conflict if the name is used for another formula.
  virtual base::Result<void> check_kept(const KeptFormula& formula) = 0;
  // The same, and stores the scores, in place of earlier ones of this name.
  virtual base::Result<void> keep(const KeptFormula& formula, std::span<const NewScore> scores) = 0;
};

// What to do, here or on a server.
struct RescoreRequest {
  score::Rule rule;
  RunQuery filter{};                  // its page and order do not matter
  std::size_t rows = 50;              // runs to show, the newest first
  bool intervals = false;             // also of the new scores of these
  std::optional<std::string> keep{};  // stores the scores under this name
};

// Sees the outcome as it is found, on the thread of the caller.
class RescoreWatcher {
 public:
  virtual ~RescoreWatcher() = default;
  virtual void on_progress(std::size_t done, std::size_t total) = 0;  // runs
  virtual void on_summary(const score::RescoreSummary& summary) = 0;
  virtual void on_run(const score::RescoredRun& run) = 0;
  virtual bool wants_to_stop() const = 0;  // the user pressed Ctrl-C
};

}  // namespace vibe::store
