// Hook logs: what hooks of an agent wrote, one event after the other, of any number of sessions.
// These logs can be very large: lines are parsed by several threads, in pieces of the file, and
// folded in their order, so that the result does not depend on the threads.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_hook(const Shape& shape);
void read_hook(base::Input input, Reading& reading);
std::span<const Field> hook_fields();

}  // namespace vibe::trace
