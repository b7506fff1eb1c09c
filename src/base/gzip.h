// Gzip: text packed for who is able to unpack it (unpack.h does). Pure, safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vibe::base {

// As fast as possible, not as small. None: it would not be smaller, or there is no memory.
std::optional<std::string> gzip(std::string_view text);

}  // namespace vibe::base
