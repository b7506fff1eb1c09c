// Results: reads a file in any known format into samples.
#pragma once

#include <span>
#include <string>

#include "results/format.h"

namespace vibe::results {

std::span<const ResultsFormat> formats();

// Adds the samples of a file (`-` is standard input) to `samples`; false after an error.
bool read(const std::string& path, const Choice& choice, score::Samples& samples,
          base::Diagnostics& out);
bool read(base::Input input, const Choice& choice, score::Samples& samples, base::Diagnostics& out);

}  // namespace vibe::results
