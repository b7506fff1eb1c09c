// Decides whether to keep a changed agent, and stores the decision with its inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/agents/score_executions.h"
#include "base/diagnostic.h"
#include "config/config.h"
#include "fitness/record.h"
#include "score/interval.h"
#include "store/archive.h"
#include "store/journal.h"

namespace vibe::app {

struct DecideRequest {
  // Each is a number, a log or a folder of logs, or the `NAME@VERSION` of stored executions. If a
  // text could be several of these, the first applies.
  std::string before, after;
  std::optional<std::uint64_t> seed;  // none: a random one
  ScoreExecutionsRequest scoring;     // how logs are read and scored; the sides name them
  config::Overrides overrides = {};
};

struct Decided {
  std::optional<fitness::DecisionRecord> record;  // none: the diagnostics say why
  std::optional<score::Interval> before, after;   // of the sides that are sets
  base::Diagnostics diagnostics;
  base::Diagnostics not_kept;  // why a valid decision could not be stored
};

Decided decide_fitness(const DecideRequest& request);
// Only with stored executions: no side is a log.
Decided decide_fitness(const DecideRequest& request, store::Executions& kept,
                       store::Journal& journal);

}  // namespace vibe::app
