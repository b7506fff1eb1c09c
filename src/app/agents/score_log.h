// Scores the logs that the programs of `exec:` models write of what they do (`VIBECHECK_TRACE`).
#pragma once

#include <cstdint>
#include <memory>

#include "fitness/rubric.h"
#include "model/model.h"

namespace vibe::app {

// A larger log is not read.
inline constexpr std::uintmax_t kMostLogBytes = std::uintmax_t{256} << 20;

// All sessions of a log are one execution. Where it has no final answer, the response is that.
model::ScoreLog log_scorer(std::shared_ptr<const fitness::Rubric> rubric);

}  // namespace vibe::app
