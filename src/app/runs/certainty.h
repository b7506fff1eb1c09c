// How sure scores are: computed once, when a run ends, and stored with it; for runs of earlier
// versions when they are shown.
#pragma once

#include <optional>
#include <span>

#include "formula/program.h"
#include "score/certainty.h"
#include "score/samples.h"
#include "score/score.h"
#include "statistics/interval.h"
#include "store/archive.h"
#include "store/journal.h"
#include "suite/suite.h"

namespace vibe::app {

// Uses all processors.
statistics::Parallel in_threads();

// What a suite says about it.
struct SuiteSettings {
  std::optional<double> on_undefined = {};  // replaces an undefined score
  std::optional<statistics::UnitKind> unit = {};
};
SuiteSettings settings_of(const suite::Score& score);
SuiteSettings settings_of(const score::Run& run);  // of its suite, if that can still be read

// None if nothing could be scored.
std::optional<score::Certainty> certainty_of(const formula::Program& program,
                                             const score::Samples& samples,
                                             const score::Score& score, const SuiteSettings& suite,
                                             statistics::Settings settings = {});

// Of finished runs that lack it, in place; stored if the store can be written.
void add_certainty(std::span<score::Run> runs, store::Runs& stored, store::Journal& journal);

}  // namespace vibe::app
