#include "base/time.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace vibe::base {

namespace {

// Takes exactly `digits` digits from the front.
std::optional<int> take(std::string_view& text, std::size_t digits) {
  if (text.size() < digits || text[0] == '-') return std::nullopt;
  int value = 0;
  const std::string_view taken = text.substr(0, digits);
  if (std::from_chars(taken.begin(), taken.end(), value).ptr != taken.end()) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool skip(std::string_view& text, char character) {
  if (!text.starts_with(character)) return false;
  text.remove_prefix(1);
  return true;
}

// Microseconds of `:SS` and `.mmm`, both optional; -1 if malformed.
std::int64_t take_seconds(std::string_view& text) {
  if (!skip(text, ':')) return 0;
  const auto seconds = take(text, 2);
  if (!seconds || *seconds > 59) return -1;
  std::int64_t micros = *seconds * 1'000'000LL;
  if (!skip(text, '.')) return micros;
  int scale = 100'000;
  if (text.empty() || text[0] < '0' || text[0] > '9') return -1;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1), scale /= 10)
    micros += (text[0] - '0') * scale;
  return micros;
}

// `Z`, `+02:00`, `-0530` or nothing, in minutes.
std::optional<int> take_offset(std::string_view& text) {
  if (text.empty() || skip(text, 'Z') || skip(text, 'z')) return 0;
  const bool west = text[0] == '-';
  if (!skip(text, '-') && !skip(text, '+')) return std::nullopt;
  const auto hours = take(text, 2);
  skip(text, ':');
  const auto minutes = take(text, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return (west ? -1 : 1) * (*hours * 60 + *minutes);
}

}  // namespace

std::int64_t now_millis() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

namespace {

template <class Unit>
std::string iso(std::int64_t count, int digits) {
  using namespace std::chrono;
  const sys_time<Unit> time{Unit(count)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:0{}}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count(), digits);
}

}  // namespace

std::string iso_time(std::int64_t millis) { return iso<std::chrono::milliseconds>(millis, 3); }
std::string iso_micros(std::int64_t micros) { return iso<std::chrono::microseconds>(micros, 6); }

std::optional<std::int64_t> parse_time(std::string_view text) {
  const auto micros = parse_micros(text);
  if (!micros) return std::nullopt;
  return (*micros - (*micros % 1000 + 1000) % 1000) / 1000;  // rounds down, also before 1970
}

std::optional<std::int64_t> parse_micros(std::string_view text) {
  using namespace std::chrono;
  const auto years = take(text, 4);
  if (!years || !skip(text, '-')) return std::nullopt;
  const auto months = take(text, 2);
  if (!months || !skip(text, '-')) return std::nullopt;
  const auto days_of_month = take(text, 2);
  if (!days_of_month) return std::nullopt;
  const year_month_day date{year(*years), month(static_cast<unsigned>(*months)),
                            day(static_cast<unsigned>(*days_of_month))};
  if (!date.ok()) return std::nullopt;
  const auto midnight = sys_days(date).time_since_epoch();
  const std::int64_t begin = duration_cast<microseconds>(midnight).count();
  if (text.empty()) return begin;

  if (!skip(text, 'T') && !skip(text, ' ')) return std::nullopt;
  const auto hour = take(text, 2);
  if (!hour || *hour > 23 || !skip(text, ':')) return std::nullopt;
  const auto minute = take(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  const std::int64_t rest = take_seconds(text);
  const auto offset = rest < 0 ? std::nullopt : take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  return begin + (*hour * 60LL + *minute - *offset) * 60'000'000 + rest;
}

std::string show_duration(double seconds) {
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 59.995) return fmt::format("{:.2f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace vibe::base
