// ATIF: the Agent Trajectory Interchange Format, one document per run.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_atif(const Shape& shape);
void read_atif(base::Input input, Reading& reading);
std::span<const Field> atif_fields();

}  // namespace vibe::trace
