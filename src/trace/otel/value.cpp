#include "trace/otel/value.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "base/text.h"
#include "trace/format.h"

namespace vibe::trace {

namespace {

constexpr std::array<std::string_view, 14> kWrappers{
    "stringValue", "intValue",    "doubleValue",  "boolValue",  "arrayValue",
    "kvlistValue", "bytesValue",  "string_value", "int_value",  "double_value",
    "bool_value",  "array_value", "kvlist_value", "bytes_value"};

constexpr int kMostDepth = 8;  // of nested messages

// Elements of a list, plain or wrapped.
template <class Use>
void each_item(Json list, Use use) {
  if (list.is_object()) list = list["values"];
  list.each([&](Json item) { use(otel_plain(item)); });
}

bool is_list(Json value) {
  return value.is_array() || (value.is_object() && value["values"].is_array());
}

// A member of an object, which is plain or a list of keys and values.
Json member(Json object, std::string_view key) {
  if (const Json found = object[key]; found.there()) return otel_plain(found);
  return otel_attribute(object["values"], key);
}

std::optional<Time> pair_of(Json value) {
  constexpr std::int64_t kMostSeconds = 100'000'000'000, kMostNanos = 1'000'000'000'000;
  const auto seconds = otel_integer(value.at(0)), nanos = otel_integer(value.at(1));
  if (!seconds || !nanos || *seconds < 0 || *nanos < 0) return std::nullopt;
  if (*seconds > kMostSeconds || *nanos > kMostNanos) return std::nullopt;
  return *seconds * 1'000'000 + *nanos / 1000;
}

std::optional<Time> micros_of(Json value) {
  constexpr std::int64_t kMost = 10'000'000'000'000'000;
  const auto micros = otel_integer(value);
  if (!micros || *micros < 0 || *micros > kMost) return std::nullopt;
  return micros;
}

// `P1DT2H3M4.5S`
std::optional<Time> iso_duration(std::string_view text) {
  constexpr double kMostSeconds = 1e10;
  if (!text.starts_with('P')) return std::nullopt;
  text.remove_prefix(1);
  double seconds = 0;
  bool in_time = false;
  while (!text.empty()) {
    if (text.front() == 'T') {
      in_time = true;
      text.remove_prefix(1);
      continue;
    }
    const std::size_t length = text.find_first_not_of("0123456789.");
    if (length == std::string_view::npos) return std::nullopt;
    const auto count = base::parse_double(text.substr(0, length));
    const char unit = text[length];
    const double size = unit == 'D' && !in_time  ? 86400
                        : unit == 'H' && in_time ? 3600
                        : unit == 'M' && in_time ? 60
                        : unit == 'S' && in_time ? 1
                                                 : 0;
    if (!count || size == 0) return std::nullopt;
    seconds += *count * size;
    text.remove_prefix(length + 1);
  }
  if (!(seconds <= kMostSeconds)) return std::nullopt;
  return to_time(seconds);
}

std::optional<std::string> text_in(Json value, int depth);

// The text of a message part; none for a part that is not text (a call, a thought).
std::optional<std::string> part_text(Json part) {
  const auto type = member(part, "type").text();
  Json text = member(part, "text");
  if (!text.there()) text = member(part, "content");
  if (!type && !text.there()) return std::nullopt;
  if (type && *type != "text" && *type != "output_text" && *type != "input_text")
    return std::string();
  if (member(part, "thought").boolean().value_or(false)) return std::string();
  return std::string(text.text().value_or(""));
}

bool is_message(Json value) {
  return member(value, "role").there() || member(value, "parts").there() ||
         member(value, "message").there();
}

std::optional<std::string> text_in_list(Json list, int depth) {
  std::optional<std::string> out;
  each_item(list, [&](Json item) {
    if (is_message(item)) {
      const std::string_view role = member(item, "role").text().value_or("");
      if (!out) out.emplace();
      if (role == "user" || role == "system" || role == "tool") return;
      if (const auto text = text_in(item, depth + 1); text && !text->empty()) out = text;
    } else if (const auto text = part_text(item)) {
      if (!out) out.emplace();
      if (!out->empty() && !text->empty()) *out += "\n\n";
      *out += *text;
    }
  });
  return out;
}

std::optional<std::string> text_in(Json value, int depth) {
  if (depth > kMostDepth) return std::nullopt;
  if (const auto text = value.text()) return std::string(*text);
  if (is_list(value) && !member(value, "role").there()) return text_in_list(value, depth);
  if (!value.is_object()) return std::nullopt;
  for (const std::string_view key : {"message", "parts", "content", "text"})
    if (const Json inner = member(value, key); inner.there() && !inner.is_null())
      return text_in(inner, depth + 1);
  if (member(value, "role").there()) return std::string();
  return std::nullopt;
}

}  // namespace

Json otel_plain(Json value) {
  if (!value.is_object() || value.size() != 1) return value;
  for (const std::string_view wrapper : kWrappers)
    if (const Json inner = value[wrapper]; inner.there()) return inner;
  return value;
}

std::optional<std::int64_t> otel_integer(Json value) {
  if (const auto number = value.integer()) return number;
  const auto text = value.text();
  return text ? base::parse_integer(base::trim(*text)) : std::nullopt;
}

std::string otel_id(Json value) {
  if (const auto text = value.text()) {
    if (text->size() <= kMostName) return std::string(*text);
    return fmt::format("{}#{:x}", shortened_name(*text), std::hash<std::string_view>{}(*text));
  }
  const auto number = value.integer();
  return number ? fmt::format("{}", *number) : std::string();
}

Json otel_attribute(Json attributes, std::string_view key) {
  Json out;
  each_otel_attribute(attributes, [&](std::string_view name, Json value) {
    if (name == key) out = otel_plain(value);
  });
  return out;
}

std::optional<Time> otel_nanos(Json value) {
  const auto nanos = otel_integer(value);
  if (!nanos || *nanos <= 0) return std::nullopt;  // 0: the span has not ended
  return *nanos / 1000;
}

std::optional<Time> otel_time(Json value, bool is_micros) {
  if (value.is_array()) return pair_of(value);
  if (is_micros) return micros_of(value);
  return time_of(value);
}

std::optional<Time> otel_duration(Json value, bool is_micros) {
  if (value.is_array()) return pair_of(value);
  if (const auto text = value.text(); text && text->starts_with('P')) return iso_duration(*text);
  return is_micros ? micros_of(value) : std::nullopt;
}

std::optional<std::string> otel_message_text(Json value) { return text_in(otel_plain(value), 0); }

std::string otel_prompt_text(Json value) {
  std::string out;
  each_item(otel_plain(value), [&](Json item) {
    if (member(item, "role").text() != "user") return;
    if (auto text = text_in(item, 1); text && !text->empty()) out = std::move(*text);
  });
  return out;
}

}  // namespace vibe::trace
