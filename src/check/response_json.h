// ResponseJson: the JSON in a response: the whole response or, if that is not JSON, its only fenced
// block. Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "base/json_reader.h"

namespace vibe::check {

// The JSON, or why there is none: `not JSON: … at line 2, column 5`.
tl::expected<base::JsonDocument, std::string> json_of_response(std::string_view response);

}  // namespace vibe::check
