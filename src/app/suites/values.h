// Variables and secrets: `{{var('name')}}` and `{{secret('name')}}` in suites. A secret's value
// goes into the store; these functions never return it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "store/archive.h"

namespace vibe::app {

enum class ValueKind : std::uint8_t { variable, secret };
std::string_view to_string(ValueKind kind);

// True if the name is new. Code::bad_usage for a value that is not text or that the store refuses
// (store/archive.h).
base::Result<bool> set_value(store::Variables& stored, ValueKind kind, std::string_view name,
                             std::string_view value);
// Code::not_found, with the nearest names.
base::Result<void> delete_value(store::Variables& stored, ValueKind kind, std::string_view name);
base::Result<std::string> variable_value(store::Variables& stored, std::string_view name);

}  // namespace vibe::app
