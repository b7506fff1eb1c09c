// SWE-agent (`.traj`) and mini-swe-agent (`.traj.json`): one document per run.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_swe_agent(const Shape& shape);
void read_swe_agent(base::Input input, Reading& reading);
std::span<const Field> swe_agent_fields();

bool is_mini_swe_agent(const Shape& shape);
void read_mini_swe_agent(base::Input input, Reading& reading);
std::span<const Field> mini_swe_agent_fields();

}  // namespace vibe::trace
