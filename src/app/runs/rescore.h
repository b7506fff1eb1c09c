// Rescores stored runs: what would all of them have scored by other formulas? Reads what was
// measured of them: values that are stored as columns, or else the figures of each run. Nothing
// stored is changed; scores that are kept are stored beside those of the runs. Not thread-safe: a
// store belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/runs/rescore_rule.h"
#include "base/diagnostic.h"
#include "score/rescored.h"
#include "store/backend.h"
#include "store/rescoring.h"

namespace vibe::app {

// The outcome for one run. They are many, so they are small.
struct RescoredEntry {
  store::RunNumber number = 0;
  double before = formula::kUndefined, after = formula::kUndefined;
  double min_score = formula::kUndefined;  // the gate; undefined: there is none
  std::uint32_t why = 0;                   // why there is no new score; 0: there is one
  bool is_ranked = true;                   // a completed run of the whole suite
  bool is_kept = true;                     // it was measured
};

// The outcome for all runs: some tens of bytes for each.
class Rescored {
 public:
  Rescored(RescoreRule rule, std::vector<RescoredEntry> entries, std::vector<std::string> reasons);

  std::size_t size() const { return entries_.size(); }
  const std::vector<RescoredEntry>& entries() const { return entries_; }  // oldest first
  const std::string& reason(const RescoredEntry& entry) const { return reasons_[entry.why]; }
  RescoreRule& rule() { return rule_; }
  const RescoreRule& rule() const { return rule_; }

  base::Result<score::RescoreSummary> summary(store::Rescoring& stored) const;
  // At most `count` runs, newest first, after the first `skip`.
  base::Result<std::vector<score::RescoredRun>> runs(store::Rescoring& stored, std::size_t skip,
                                                     std::size_t count) const;

 private:
  score::RescoredRun run_of(std::size_t place, store::RunLabel label) const;
  base::Result<std::vector<score::RescoredRun>> runs_at(store::Rescoring& stored,
                                                        std::vector<std::size_t> places) const;
  double gate_after(const RescoredEntry& entry) const;
  bool flips(const RescoredEntry& entry) const;
  score::GateCounts gates() const;
  std::vector<score::Unscored> unscored() const;
  std::vector<std::size_t> newest_flips() const;
  std::vector<std::size_t> most_moved() const;

  RescoreRule rule_;
  std::vector<RescoredEntry> entries_;
  std::vector<std::string> reasons_;                     // the first is empty
  std::vector<std::uint32_t> rank_before_, rank_after_;  // by place; 0: none
};

// Called now and then; `total` is 0 as long as it is not known. False: stop.
using RescoreProgress = std::function<bool(std::size_t done, std::size_t total)>;

// Before all runs are read: an error if the formula is wrong, or if runs match but no stored run
// has what it names.
base::Result<void> check_rule(store::Rescoring& stored, const score::Rule& rule,
                              const store::RunQuery& filter);

// Measures finished runs that an older version stored, or whose process was killed. `files`:
// whether suites may name files of cases.
void measure_all(store::Store& store, bool files, const RescoreProgress& progress);

// None: it was stopped. An error: the formula is wrong, or names what no run has.
base::Result<std::optional<Rescored>> rescore(store::Rescoring& stored, const score::Rule& rule,
                                              const store::RunQuery& filter,
                                              const RescoreProgress& progress);

// What a request to keep scores would run into, before they are computed: Code::bad_usage for the
// name, Code::conflict.
base::Result<void> check_keep(store::Rescoring& stored, const RescoreRule& rule,
                              const std::string& name);
// Stores the new scores under a name; nothing for runs that were not measured.
base::Result<void> keep_scores(store::Rescoring& stored, const Rescored& rescored,
                               const std::string& name);

// Adds how sure the new scores of these runs are.
void add_certainty(store::Store& store, RescoreRule& rule, std::span<score::RescoredRun> runs);

// All of it, on this machine. Measures runs first that were not measured yet. False: stopped.
base::Result<bool> rescore_runs(store::Store& store, const store::RescoreRequest& request,
                                store::RescoreWatcher& watcher);

}  // namespace vibe::app
