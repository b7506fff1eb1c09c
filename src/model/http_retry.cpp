// Whether and when a request is retried: after the delay the server asks for, else with exponential
// backoff.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/http_client.h"

namespace vibe::model {

namespace {

constexpr double kFirstWait = 0.5, kMostBackoff = 30;  // seconds
constexpr double kMostWait = 120;                      // even if the server asks for more

bool may_retry(const HttpResponse& response) {
  if (response.tries >= kMostTries) return false;
  if (response.fault != HttpResponse::Fault::none)
    return response.fault == HttpResponse::Fault::connection;
  const auto wanted = response.header("x-should-retry");
  if (wanted == "true" || wanted == "false") return wanted == "true";
  const int status = response.status;
  return status == 408 || status == 409 || status == 429 || (status >= 500 && status <= 599);
}

std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<double> number(std::string_view text) {
  const auto value = take_number(text);
  return text.empty() ? value : std::nullopt;
}

// `Mon, 16 Nov 2026 01:24:57 GMT`, in seconds since 1970.
std::optional<double> http_date(std::string_view text) {
  std::tm time{};
  const char* end = strptime(std::string(text).c_str(), "%a, %d %b %Y %H:%M:%S GMT", &time);
  if (end == nullptr) return std::nullopt;
  return static_cast<double>(timegm(&time));
}

// `20ms`, `1.5s`, `6m0s`, `1h2m3s`, in seconds.
std::optional<double> duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array kUnits{Unit{"ms", 0.001}, Unit{"s", 1}, Unit{"m", 60}, Unit{"h", 3600},
                              Unit{"d", 86400}};
  double sum = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const auto value = take_number(text);
    const auto* unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& candidate) {
      return text.starts_with(candidate.name);
    });
    if (!value || unit == kUnits.end()) return std::nullopt;
    text.remove_prefix(unit->name.size());
    sum += *value * unit->seconds;
  }
  return sum;
}

double now_by(const HttpResponse& response) {  // by the server's clock if it states the time
  if (const auto date = http_date(response.header("date"))) return *date;
  return static_cast<double>(base::now_millis()) / 1000;
}

// Seconds until a limit is reset, from a number of seconds, a duration, or a point in time.
std::optional<double> until_reset(std::string_view text, double now) {
  constexpr double kPoint = 1e9, kMillis = 1e11;  // larger numbers are times since 1970
  if (const auto value = number(text)) {
    if (*value >= kMillis) return *value / 1000 - now;
    return *value >= kPoint ? *value - now : *value;
  }
  if (const auto value = duration(text)) return value;
  if (const auto time = base::parse_time(text)) return static_cast<double>(*time) / 1000 - now;
  return std::nullopt;
}

struct Limit {
  std::string_view remaining, reset;
};
constexpr std::array kLimits{
    Limit{"x-ratelimit-remaining", "x-ratelimit-reset"},
    Limit{"x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"},
    Limit{"x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"},
    Limit{"anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"},
    Limit{"anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"},
};

// The seconds that the server asks to wait.
std::optional<double> asked_wait(const HttpResponse& response) {
  if (const auto millis = number(response.header("retry-after-ms"))) return *millis / 1000;
  const auto after = response.header("retry-after");
  if (const auto seconds = number(after)) return seconds;
  const double now = now_by(response);
  if (const auto date = http_date(after)) return *date - now;
  if (response.status != 429) return std::nullopt;
  std::optional<double> longest;  // among the limits that are used up
  for (const auto& limit : kLimits) {
    if (response.header(limit.remaining) != "0") continue;
    if (const auto wait = until_reset(response.header(limit.reset), now))
      longest = std::max(longest.value_or(0), *wait);
  }
  return longest;
}

}  // namespace

std::string_view HttpResponse::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (key == name) return value;
  return {};
}

double retry_delay(const HttpResponse& response, double random) {
  if (!may_retry(response)) return -1;
  const double backoff = std::min(kMostBackoff, kFirstWait * std::exp2(response.tries - 1));
  const auto asked = asked_wait(response);
  // Never earlier than asked; spread, so that not all requests come at the same moment.
  if (asked && *asked >= 0) return std::min(kMostWait, *asked) + random * backoff;
  return backoff * (0.5 + random / 2);
}

}  // namespace vibe::model
