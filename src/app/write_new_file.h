// Writes a file that a command makes for the user: never over one that is there, unless asked to.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/diagnostic.h"

namespace vibe::app {

base::Result<std::monostate> write_new_file(const std::string& path, std::string_view text,
                                            bool replace);

}  // namespace vibe::app
