// Results: JSON lines that any harness can write, one object per sample, read as a
// stream. Every broken line is an error with its number; a file with errors gives nothing.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "score/samples.h"

namespace vibe::score {

struct ResultField {
  std::string_view name, type, doc;
};

// The fields that are read; others are ignored.
inline constexpr std::array kResultFields{
    ResultField{
        "name", "text",
        "the eval; absent or null for one without a name; a case's `[id]` at its end is left out"},
    ResultField{"passed", "true or false", "required"},
    ResultField{"latency", "number ≥ 0", "seconds; absent or null where there was no response"},
    ResultField{"cost", "number ≥ 0", "US dollars; absent or null where it is unknown"},
    ResultField{"prompt_tokens", "whole number ≥ 0", "absent or null where it is unknown"},
    ResultField{"completion_tokens", "whole number ≥ 0", "absent or null where it is unknown"},
    ResultField{"tags", "list of text", "tags of the eval"},
};

// Adds the samples of a file (`-` is standard input) to `samples`; false after an error.
bool read_results(const std::string& path, Samples& samples, base::Diagnostics& out);

}  // namespace vibe::score
