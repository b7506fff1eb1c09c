// Records: executions that a person or a script wrote in YAML, one document each:
// `execution: {tools: {Bash: {calls: 3, success: 2}}, errors: […], actual_time: 60s, …}`. Problems
// are reported with their position, and that document is skipped.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_record(std::string_view head);
void read_record(base::Input input, Reading& reading);
std::span<const Field> record_fields();

// Seconds, from `60s`, `60`, `1m30s`, `1.5 min`, `500ms`; none: not a duration.
std::optional<double> record_seconds(std::string_view text);

}  // namespace vibe::trace
