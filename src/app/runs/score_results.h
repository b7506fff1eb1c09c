// Scores another harness's results with a suite's score section, or with a formula whose names come
// from the results.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "results/format.h"
#include "score/certainty.h"
#include "score/score.h"
#include "statistics/interval.h"

namespace vibe::app {

struct ScoreRequest {
  std::string results;                        // a file, `-` is standard input
  std::optional<std::string> suite, formula;  // one of them; neither: `success_pct`
  std::optional<double> min_score, min_success;
  results::Choice choice;  // which results
  bool strict = false;
  statistics::Settings statistics{};
};

struct ScoredResults {
  std::optional<score::Score> score;  // none if there was an error
  std::optional<score::Certainty> certainty;
  score::Gates gates;  // what the score has to reach
  base::Diagnostics diagnostics;
};

ScoredResults score_results(const ScoreRequest& request);

}  // namespace vibe::app
