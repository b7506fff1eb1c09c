// OpenHands: trajectories of events, of its first generation (V0: actions and observations) and of
// its SDK (V1: events with a `kind`), and the `output.jsonl` of evaluations, a line for each
// instance with the events in its `history`.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_openhands(const Shape& shape);
void read_openhands(base::Input input, Reading& reading);
std::span<const Field> openhands_fields();

}  // namespace vibe::trace
