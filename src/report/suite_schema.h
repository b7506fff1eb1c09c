// The JSON Schema of suite files, for editors: made from the loader's tables.
#pragma once

#include <string>

namespace vibe::report {

std::string suite_schema();

}  // namespace vibe::report
