// Time: points in time as milliseconds since 1970 (UTC), and as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vibe::base {

std::int64_t now_millis();
std::string iso_time(std::int64_t millis);    // `2026-11-16T01:24:57.123Z`
std::string iso_micros(std::int64_t micros);  // `2026-11-16T01:24:57.123456Z`
// `2026-11-16`, `2026-11-16T01:24`, `…:57`, `…:57.123`, with or without `Z` or an offset; UTC if it
// has none.
std::optional<std::int64_t> parse_time(std::string_view text);
std::optional<std::int64_t> parse_micros(std::string_view text);  // the same, in microseconds
std::string show_duration(double seconds);  // `350 ms`, `1.25 s`, `2 min 05 s`, `1 h 02 min`

}  // namespace vibe::base
