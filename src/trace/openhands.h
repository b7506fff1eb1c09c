// OpenHands: event trajectories of the first generation (V0: actions and observations) and of the
// SDK (V1: events with a `kind`), and the `output.jsonl` of evaluations, with one line per instance
// and its events in `history`.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_openhands(const Shape& shape);
void read_openhands(base::Input input, Reading& reading);
std::span<const Field> openhands_fields();

}  // namespace vibe::trace
