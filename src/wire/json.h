// What all JSON of the API shares: documents, times, pages. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/json_value.h"
#include "score/interval.h"
#include "score/run.h"

namespace vibe::wire {

// A document that people also read: a writer for it, and its text, which ends with a line end.
base::JsonWriter indented_json();
std::string json_document(const base::JsonWriter& json);

// A key and a time in UTC, or null.
void write_time(base::JsonWriter& json, std::string_view key,
                const std::optional<score::Millis>& value);

bool is_true(const base::JsonValue& from, std::string_view key);  // present, and `true`

// The key `interval`: `{"low", "high", "level"}`, or null.
void write_interval(base::JsonWriter& json, const std::optional<score::Interval>& interval);

// The items of an array as an indented document has it, of which there may be very many: each is
// added to `out`, which can be emptied meanwhile.
class JsonItems {
 public:
  void add(std::string_view item, std::string& out);
  void end(std::string& out) const;

 private:
  bool any_ = false;
};

// `"pagination": {"total", "hasMore", "next"?}`
void write_pagination(base::JsonWriter& json, std::size_t total, std::string_view next);
// `total` and `next` of a page.
template <class SomePage>
void read_pagination(const base::JsonValue& from, SomePage& page) {
  const base::JsonValue* pagination = from.find("pagination");
  if (!pagination) return;
  page.total = static_cast<std::size_t>(pagination->integer_of("total").value_or(0));
  page.next = pagination->text_of("next");
}

}  // namespace vibe::wire
