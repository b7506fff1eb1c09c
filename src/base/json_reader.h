// JsonReader: one JSON text (RFC 8259) → a value, or what is wrong with it and where. parse_json()
// in json_value.h is faster but cannot say that. For texts that people look at: model answers,
// schemas. Depth is limited, so nothing here can overflow the stack. Safe from any thread.
//
// A byte order mark is skipped. Of equal keys the last one counts. Whole numbers beyond 64 bits
// become the nearest double; half of a surrogate pair becomes U+FFFD.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "base/json_value.h"

namespace vibe::base {

inline constexpr std::size_t kMaxJsonDepth = 256;

struct JsonFault {
  std::string message;     // without the position
  std::size_t offset = 0;  // in the text
};

struct JsonDocument {
  JsonValue root;
  std::optional<std::string> repeated_key;  // the first key that an object has twice
};

tl::expected<JsonDocument, JsonFault> read_json_document(std::string_view text);

}  // namespace vibe::base
