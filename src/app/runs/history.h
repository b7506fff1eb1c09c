// History: the stored runs: lists of them, one of them, how its score came about, and the
// request that it stop. Not thread-safe: a store belongs to one thread.
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

// The last scores of a suite, or of a version of an agent, oldest first; none where a run has none.
struct Trend {
  std::string name;
  std::vector<std::optional<double>> scores;
};
inline constexpr std::size_t kTrendRuns = 20;

// Of each suite of the runs, in the order of their appearance.
base::Result<std::vector<Trend>> trends(store::Runs& stored, const std::vector<score::Run>& runs);

// By id, by the beginning of one, or `last`; Code::not_found with what to do next.
base::Result<score::Run> find_run(store::Runs& stored, std::string_view id);

// The score of a finished run once more, from its formulas and its figures, so that it has its
// explanation. Needs no file. Code::not_found where the figures were not kept.
base::Result<score::Score> explain_run(store::Runs& stored, const score::Run& run);

// Asks a run to stop; returns it as it was. Code::bad_usage if it is finished already.
base::Result<score::Run> stop_run(store::Runs& stored, std::string_view id);
// Asks all runs to stop that did not begin yet; returns those that it asked.
base::Result<std::vector<score::Run>> stop_queued(store::Runs& stored);

}  // namespace vibe::app
