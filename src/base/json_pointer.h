// JSON pointers (RFC 6901): `/choices/0/message`; in a key `~` is written `~0` and `/` is written
// `~1`. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/json_value.h"

namespace vibe::base {

bool is_json_pointer(std::string_view text);

std::string escape_key(std::string_view key);      // `a/b` → `a~1b`
std::string unescape_key(std::string_view token);  // `a~1b` → `a/b`

// The member or element that a token names; null if there is none.
const JsonValue* step(const JsonValue& value, std::string_view token);

}  // namespace vibe::base
