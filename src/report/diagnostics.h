// Diagnostics as a JSON array, as `--json` prints them. Pure.
#pragma once

#include <span>
#include <string>

#include "base/diagnostic.h"

namespace vibe::report {

std::string json(std::span<const base::Diagnostics> all);

}  // namespace vibe::report
