// Values as spans hold them: wrapped (`{"intValue": "12"}`) or plain, lists of keys and values or
// objects, times in all units, and messages of models in all forms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/execution.h"
#include "trace/json.h"

namespace vibe::trace {

Json otel_plain(Json value);                                 // without what is wrapped around it
std::optional<std::int64_t> otel_integer(Json value);        // a number or the text of one
std::string otel_id(Json value);                             // a text or a number
Json otel_attribute(Json attributes, std::string_view key);  // plain; of a list or an object

// Calls `use(std::string_view key, Json value)` for each, wrapped or not.
template <class Use>
void each_otel_attribute(Json attributes, Use use) {
  if (attributes.is_object()) return attributes.members(use);
  attributes.each([&](Json item) {
    if (const auto key = item["key"].text()) use(*key, item["value"]);
  });
}

std::optional<Time> otel_nanos(Json value);
// `[seconds, nanoseconds]`, a text or a number, which is of microseconds or tells by its size.
std::optional<Time> otel_time(Json value, bool is_micros);
// `[seconds, nanoseconds]`, `PT1M2.5S`, or a number of microseconds.
std::optional<Time> otel_duration(Json value, bool is_micros);

// The text in a message, in the last of several that a model wrote, or in their parts; none where
// the value is nothing of that.
std::optional<std::string> otel_message_text(Json value);
// The text of the last of several messages that a person wrote; empty: there is none.
std::string otel_prompt_text(Json value);

}  // namespace vibe::trace
