// Scores the logs that programs of `exec:` models write about their work (`VIBECHECK_TRACE`).
#pragma once

#include <cstdint>
#include <memory>

#include "fitness/rubric.h"
#include "model/model.h"

namespace vibe::app {

// A larger log is not read.
inline constexpr std::uintmax_t kMostLogBytes = std::uintmax_t{256} << 20;

// All sessions of a log form one execution. If it has no final answer, the response is the answer.
model::ScoreLog log_scorer(std::shared_ptr<const fitness::Rubric> rubric);

}  // namespace vibe::app
