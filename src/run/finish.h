// Finish: the results of a run → its metrics and score. Pure.
#pragma once

#include <span>

#include "score/run.h"
#include "score/samples.h"
#include "score/score.h"
#include "suite/suite.h"

namespace vibe::run {

// The figures of the results, in the order of the plan, so that sums do not depend on the order of
// the answers. Evals have the order of the suite; also includes those without a result.
score::Samples samples_of(const suite::Suite& suite, std::span<const score::Result> results);
// Without the suite: evals in order of appearance, without tags.
score::Samples samples_of(std::span<const score::Result> results);

// Counts, totals, metrics and score of the run, from its results and their figures.
score::Score finish(score::Run& run, const suite::Suite& suite,
                    std::span<const score::Result> results, const score::Samples& samples);

}  // namespace vibe::run
