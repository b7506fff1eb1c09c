// `min_tokens`, `max_tokens`, `max_latency`, `max_cost`: bounds of what was measured.
#include "check/check.h"

namespace vibe::check {

namespace {

std::optional<Arguments> read_limit(const Field& field, const base::YamlNode& value,
                                    Reading& reading) {
  if (!fits(field, value, reading)) return std::nullopt;
  return Limit{*value.as_number()};
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

}  // namespace vibe::check
