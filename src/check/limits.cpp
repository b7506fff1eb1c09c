// `min_tokens`, `max_tokens`, `max_latency`, `max_cost`: limits on measured values.
#include <fmt/format.h>

#include "base/text.h"
#include "check/check.h"
#include "check/judging.h"

namespace vibe::check {

namespace {

std::optional<Arguments> read_limit(const Field& field, const base::YamlNode& value,
                                    Reading& reading) {
  if (!fits(field, value, reading)) return std::nullopt;
  return Limit{*value.as_number()};
}

double limit_of(const Check& check) { return std::get<Limit>(check.arguments).value; }

// At least `decimals` decimals, and more if the value would otherwise look like `other` or 0.
std::string shown_amount(double value, double other, int decimals) {
  constexpr int kMostDecimals = 18;
  const auto looks_like = [&](double that) {
    return value != that && base::to_decimal(value, decimals) == base::to_decimal(that, decimals);
  };
  while (decimals < kMostDecimals && (looks_like(other) || looks_like(0))) ++decimals;
  return base::to_decimal(value, decimals);
}

// Compares a measured value with its maximum; an unknown value is neither pass nor fail.
Finding judge_most(std::string_view name, std::string_view before, std::string_view after,
                   int decimals, std::optional<double> measured, double most) {
  const auto amount = [&](double value, double other) {
    return fmt::format("{}{}{}", before, shown_amount(value, other, decimals), after);
  };
  if (!measured)
    return finding(Verdict::error, fmt::format("{} unknown (max: {})", name, amount(most, 0)));
  return finding(
      pass_if(*measured <= most),
      fmt::format("{} {} (max: {})", name, amount(*measured, most), amount(most, *measured)));
}

}  // namespace

std::optional<Arguments> read_tokens(const CheckKind& kind, const base::YamlNode& value,
                                     Reading& reading) {
  return read_limit(Field{.name = kind.name, .type = Type::integer, .range = {.least = 0}}, value,
                    reading);
}

std::optional<Arguments> read_amount(const CheckKind& kind, const base::YamlNode& value,
                                     Reading& reading) {
  const Range range{.least = 0, .above = kind.type == CheckType::max_latency};
  return read_limit(Field{.name = kind.name, .type = Type::number, .range = range}, value, reading);
}

Finding judge_tokens(const Check& check, Judging& judging) {
  const bool least = check.type == CheckType::min_tokens;
  const double limit = limit_of(check);
  const auto count = static_cast<double>(judging.tokens());
  return finding(pass_if(least ? count >= limit : count <= limit),
                 fmt::format("Token count: {} tokens ({}: {:.0f})", judging.tokens(),
                             least ? "min" : "max", limit));
}

Finding judge_latency(const Check& check, Judging& judging) {
  return judge_most("Latency", "", " s", 3, judging.response().latency, limit_of(check));
}

Finding judge_cost(const Check& check, Judging& judging) {
  return judge_most("Cost", "$", "", 6, judging.response().cost, limit_of(check));
}

}  // namespace vibe::check
