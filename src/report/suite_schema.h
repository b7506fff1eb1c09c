// The JSON Schema of suite files, for editors: made from the tables that the loader reads by.
#pragma once

#include <string>

namespace vibe::report {

std::string suite_schema();

}  // namespace vibe::report
