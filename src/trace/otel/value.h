// Values in spans: wrapped (`{"intValue": "12"}`) or plain, lists of keys and values or objects,
// times in any unit, and model messages in any form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/execution.h"
#include "trace/json.h"

namespace vibe::trace {

Json otel_plain(Json value);                                 // unwrapped
std::optional<std::int64_t> otel_integer(Json value);        // a number, or a number as text
std::string otel_id(Json value);                             // from text or a number
Json otel_attribute(Json attributes, std::string_view key);  // unwrapped; from a list or an object

// Calls `use(std::string_view key, Json value)` for each attribute, wrapped or not.
template <class Use>
void each_otel_attribute(Json attributes, Use use) {
  if (attributes.is_object()) return attributes.members(use);
  attributes.each([&](Json item) {
    if (const auto key = item["key"].text()) use(*key, item["value"]);
  });
}

std::optional<Time> otel_nanos(Json value);
// `[seconds, nanoseconds]`, text, or a number: in microseconds, or in the unit that its size shows.
std::optional<Time> otel_time(Json value, bool is_micros);
// `[seconds, nanoseconds]`, `PT1M2.5S`, or a number of microseconds.
std::optional<Time> otel_duration(Json value, bool is_micros);

// The text of a message, of the model's last message in a list, or of their parts; none for any
// other value.
std::optional<std::string> otel_message_text(Json value);
// The text of the last message that a person wrote; empty: there is none.
std::string otel_prompt_text(Json value);

}  // namespace vibe::trace
