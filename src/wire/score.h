// A score in JSON, as `vibe score --json` prints it. Pure.
#pragma once

#include <optional>
#include <string>

#include "score/certainty.h"
#include "score/score.h"

namespace vibe::wire {

// An object.
std::string score_json(const score::Score& score, const std::optional<score::Certainty>& certainty);

}  // namespace vibe::wire
