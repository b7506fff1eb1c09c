// Decides whether a changed agent is kept, and keeps the decision with what it was made of.
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
  // Each a number, a log or a folder of them, or `NAME@VERSION` of which executions are kept; where
  // a text could be several of these, the first.
  std::string before, after;
  std::optional<std::uint64_t> seed;  // none: one is drawn
  ScoreExecutionsRequest scoring;     // how logs are read and scored; which, the sides say
  config::Overrides overrides = {};
};

struct Decided {
  std::optional<fitness::DecisionRecord> record;  // none: the diagnostics say why
  std::optional<score::Interval> before, after;   // of the sides, where they are sets
  base::Diagnostics diagnostics;
  base::Diagnostics not_kept;  // the decision is made, but the store failed
};

Decided decide_fitness(const DecideRequest& request);
// With what a store keeps, and there alone: no side is a log.
Decided decide_fitness(const DecideRequest& request, store::Executions& kept,
                       store::Journal& journal);

}  // namespace vibe::app
