// Own: executions as JSON lines, as `vibe fitness show --jsonl` prints them, written and read. With
// the calls they hold every field: what is read back is what was written.
#pragma once

#include "base/json.h"
#include "base/json_value.h"
#include "trace/format.h"

namespace vibe::trace {

void write_json(base::JsonWriter& json, const Execution& execution, bool with_calls);
// The fields of its object but `notes` and `calls`, for one that has more.
void write_figures(base::JsonWriter& json, const Execution& execution);
// What write_figures() wrote.
Execution read_figures(const base::JsonValue& json);

bool is_own(const Shape& shape);
void read_own(base::Input input, Reading& reading);
std::span<const Field> own_fields();

}  // namespace vibe::trace
