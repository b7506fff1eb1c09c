// A run as those read it who wait for its end: the shape that the API's clients poll for. Pure.
#pragma once

#include <span>
#include <string>

#include "score/run.h"
#include "store/feed.h"

namespace vibe::wire {

struct RunState {
  const score::Run& run;
  std::span<const store::Arrival> results;  // in the order in which they came
  bool is_update = false;                   // its suite was there before
  score::Millis now = 0;                    // until which a run that is not finished has taken
};

// A run that was cancelled is `failed` here, with the reason: its pollers know no other end.
std::string status_json(const RunState& state);

}  // namespace vibe::wire
