// Inspect: logs of evaluations, `.json` (one document) or `.eval` (a zip archive with a member for
// each sample). A sample is an execution.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_inspect(const Shape& shape);
bool is_inspect_archive(std::string_view path);  // of the formats here only Inspect's is a zip
void read_inspect(base::Input input, Reading& reading);
std::span<const Field> inspect_fields();

}  // namespace vibe::trace
