// Measures finished runs that were stored without it: their process was killed, or an older version
// of vibe stored them. Each run is stored by itself, so it can be interrupted at any time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/diagnostic.h"
#include "formula/program.h"
#include "score/run.h"
#include "score/samples.h"
#include "store/backend.h"

namespace vibe::app {

struct MeasureOptions {
  std::size_t most = static_cast<std::size_t>(-1);  // runs, the newest first
  bool files = true;                                // suites may name files of cases
  std::function<bool(std::size_t done)> goes_on{};  // called after each run; false: stop there
};

// Returns the number of runs. One whose results cannot be read stays without figures.
base::Result<std::size_t> measure_history(store::Store& store, const MeasureOptions& options);

// The samples of a finished run, from its results; tags and the order of evals come from its suite,
// if that can still be read.
base::Result<score::Samples> samples_of(store::Runs& stored, const score::Run& run, bool files);

// The stored formulas of a run, or its suite's if it was interrupted: it has no metrics then.
base::Result<formula::Program> program_of(const score::Run& run, const score::Samples& samples);

}  // namespace vibe::app
