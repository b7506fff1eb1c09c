// A score in JSON, as `vibe score --json` prints it. Pure.
#pragma once

#include <string>

#include "score/score.h"

namespace vibe::wire {

std::string score_json(const score::Score& score);  // an object

}  // namespace vibe::wire
