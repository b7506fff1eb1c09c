// Scorable: what is needed to score a stored run again, by its own formulas or by others. Reads
// only the store: the suite's file and its case files may have changed since.
#pragma once

#include "base/diagnostic.h"
#include "formula/program.h"
#include "score/run.h"
#include "score/samples.h"
#include "store/archive.h"

namespace vibe::app {

struct Scorable {
  score::Samples samples;
  formula::Program program;
};

// From the stored figures; if there are none, or an older version of vibe stored them, from the
// results. Code::not_found: there is nothing to score.
base::Result<Scorable> scorable(store::Runs& stored, const score::Run& run);

// The samples of a finished run, from its results; tags and the order of evals come from its suite,
// if that can still be read. `files`: whether the suite may name case files.
base::Result<score::Samples> samples_of(store::Runs& stored, const score::Run& run, bool files);

// The stored formulas of a run, or its suite's if it was interrupted: it has no metrics then.
base::Result<formula::Program> program_of(const score::Run& run, const score::Samples& samples);

}  // namespace vibe::app
