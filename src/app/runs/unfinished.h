// Which samples of an earlier run are sent when it is resumed. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/diagnostic.h"
#include "score/run.h"

namespace vibe::app {

// What to do with an earlier run: send the samples without a result, send those with an error
// again, or send all again in a new run.
enum class Continue : std::uint8_t { missing, failed, again };

// The planned samples without a result, or with an error.
std::vector<std::uint32_t> unfinished(std::span<const score::Result> results, std::uint32_t planned,
                                      Continue how);

// The error if there are none: Code::nothing_selected
base::Diagnostics nothing_left(const score::Run& run, Continue how);

}  // namespace vibe::app
