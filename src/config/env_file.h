// EnvFile: reads `.env`: lines `NAME=value`. Pure. What it reads is secret: no diagnostic
// shows more of it than the names.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/diagnostic.h"

namespace vibe::config {

using Variables = std::unordered_map<std::string, std::string>;

// `export` before a name and spaces around `=` are fine. A value is plain (up to ` #`), in single
// quotes (as it is), or in double quotes (`\n`, `\r`, `\t`, `\"`, `\\`, `\$`); quoted ones may
// have several lines. `$` has no meaning. Of equal names the last counts.
Variables read_env_file(const std::string& name, std::string_view text, base::Diagnostics& out);

}  // namespace vibe::config
