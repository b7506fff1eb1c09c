// Diagnostics as a JSON array, the output of `--json`. Pure.
#pragma once

#include <span>
#include <string>

#include "base/diagnostic.h"

namespace vibe::wire {

std::string diagnostics_json(std::span<const base::Diagnostics> all);

}  // namespace vibe::wire
