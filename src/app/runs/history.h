// History: the stored runs: listing them, finding one, explaining its score, and asking it to stop.
// Not thread-safe: a store belongs to one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "score/run.h"
#include "score/score.h"
#include "store/archive.h"

namespace vibe::app {

// The last scores of a suite with a model, or of an agent version, oldest first; nullopt for a run
// without a score.
struct Trend {
  std::string name;
  std::vector<std::optional<double>> scores;
};
inline constexpr std::size_t kTrendRuns = 20;

// One per suite and model of the runs, in order of appearance. Only completed runs
// count.
base::Result<std::vector<Trend>> trends(store::Runs& stored, const std::vector<score::Run>& runs);

// Finds a run by its id, the beginning of its id, or `last`; Code::not_found, with a hint.
base::Result<score::Run> find_run(store::Runs& stored, std::string_view id);

// Computes the score of a finished run again from its formulas and figures, to explain it. Needs no
// file. Code::not_found if the figures were not stored.
base::Result<score::Score> explain_run(store::Runs& stored, const score::Run& run);

// Asks a run to stop; returns it as it was. Code::bad_usage if it is already finished.
base::Result<score::Run> stop_run(store::Runs& stored, std::string_view id);
// Asks all runs that have not begun yet to stop; returns those runs.
base::Result<std::vector<score::Run>> stop_queued(store::Runs& stored);

}  // namespace vibe::app
