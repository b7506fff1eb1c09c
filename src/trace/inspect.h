// Inspect: evaluation logs, `.json` (one document) or `.eval` (a zip archive with one member per
// sample). A sample is an execution.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_inspect(const Shape& shape);
bool is_inspect_archive(std::string_view path);  // no other format here is a zip
void read_inspect(base::Input input, Reading& reading);
std::span<const Field> inspect_fields();

}  // namespace vibe::trace
