// Writes a file that a command creates for the user: replaces an existing one only if asked to, and
// then all or nothing.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace vibe::app {

base::Result<void> write_new_file(const std::string& path, std::string_view text, bool replace);

}  // namespace vibe::app
