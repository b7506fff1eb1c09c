// Measures finished runs that were stored without it: their process was killed, or an older version
// of vibe stored them. Each run is stored by itself, so it can be interrupted at any time.
#pragma once

#include <cstddef>
#include <functional>

#include "base/diagnostic.h"
#include "store/backend.h"

namespace vibe::app {

struct MeasureOptions {
  std::size_t most = static_cast<std::size_t>(-1);         // runs, the newest first
  bool files = true;                                       // suites may name files of cases
  std::function<bool(std::size_t done)> continue_after{};  // called after each run; false: stop
};

// Returns the number of runs. One whose results cannot be read stays without figures.
base::Result<std::size_t> measure_history(store::Store& store, const MeasureOptions& options);

}  // namespace vibe::app
