// EnvFile: reads `.env`: lines `NAME=value`. Pure. The values are secret: diagnostics show only
// names.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/diagnostic.h"

namespace vibe::config {

using Variables = std::unordered_map<std::string, std::string>;

// `export` before a name and spaces around `=` are allowed. A value is plain (up to ` #`), in
// single quotes (unchanged), or in double quotes (`\n`, `\r`, `\t`, `\"`, `\\`, `\$`); quoted
// values may have several lines. `$` has no meaning. The last of equal names counts.
Variables read_env_file(const std::string& name, std::string_view text, base::Diagnostics& out);

}  // namespace vibe::config
