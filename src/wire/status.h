// A run in the shape that polling clients expect. Pure.
#pragma once

#include <span>
#include <string>

#include "score/run.h"
#include "store/feed.h"

namespace vibe::wire {

struct RunState {
  const score::Run& run;
  std::span<const store::Arrival> results;  // in the order of arrival
  bool is_update = false;                   // its suite existed before
  score::Millis now = 0;                    // for the duration of an unfinished run
};

// A cancelled run is `failed` here, with the reason: polling clients know no other end.
std::string status_json(const RunState& state);

}  // namespace vibe::wire
