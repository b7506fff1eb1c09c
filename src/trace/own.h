// Own: writes and reads executions as JSON lines, the output of `vibe fitness show --jsonl`. With
// the calls, a line has every field, so that reading gives back what was written.
#pragma once

#include "base/json.h"
#include "trace/format.h"

namespace vibe::trace {

void write_json(base::JsonWriter& json, const Execution& execution, bool with_calls);
// The fields of the object except `notes` and `calls`, for callers that add more.
void write_figures(base::JsonWriter& json, const Execution& execution);

bool is_own(const Shape& shape);
void read_own(base::Input input, Reading& reading);
std::span<const Field> own_fields();

}  // namespace vibe::trace
