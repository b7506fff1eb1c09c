#include "wire/json.h"

#include "base/time.h"

namespace vibe::wire {

using base::JsonWriter;

JsonWriter indented_json() { return JsonWriter(JsonWriter::Layout::indented); }

std::string json_document(const JsonWriter& json) { return json.text() + "\n"; }

void write_time(JsonWriter& json, std::string_view key, const std::optional<score::Millis>& value) {
  json.key(key);
  value ? json.string(base::iso_time(*value)) : json.null();
}

bool is_true(const base::JsonValue& from, std::string_view key) {
  const base::JsonValue* value = from.find(key);
  return value && value->boolean() == true;
}

void write_interval(JsonWriter& json, const std::optional<score::Interval>& interval) {
  json.key("interval");
  if (!interval) {
    json.null();
    return;
  }
  json.begin_object().key("low").number(interval->low).key("high").number(interval->high);
  json.key("level").number(0.95).end_object();
}

void JsonItems::add(std::string_view item, std::string& out) {
  out += any_ ? ",\n  " : "[\n  ";
  any_ = true;
  for (const char c : item) {  // strings in it have no line breaks
    out += c;
    if (c == '\n') out += "  ";
  }
}

void JsonItems::end(std::string& out) const { out += any_ ? "\n]\n" : "[]\n"; }

void write_pagination(JsonWriter& json, std::size_t total, std::string_view next) {
  json.key("pagination").begin_object();
  json.key("total").integer(static_cast<std::int64_t>(total));
  json.key("hasMore").boolean(!next.empty());
  if (!next.empty()) json.key("next").string(next);
  json.end_object();
}

}  // namespace vibe::wire
