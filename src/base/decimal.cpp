#include "base/decimal.h"

namespace vibe::base {

Decimal scan_decimal(std::string_view text) {
  Decimal out;
  std::size_t at = 0;
  const auto is_at = [&](char a, char b) {
    return at < text.size() && (text[at] == a || text[at] == b);
  };
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - begin;
  };
  out.has_sign = is_at('+', '-');
  if (out.has_sign) ++at;
  out.whole = digits();
  out.has_point = is_at('.', '.');
  if (out.has_point) {
    ++at;
    out.fraction = digits();
  }
  out.mantissa_end = out.end = at;
  if (!out.has_digits() || !is_at('e', 'E')) return out;
  out.has_exponent = true;
  ++at;
  if (is_at('+', '-')) ++at;
  out.exponent = digits();
  out.end = at;
  return out;
}

bool is_json_number(std::string_view text) {
  const Decimal number = scan_decimal(text);
  const bool begins_with_0 = number.whole > 1 && text[number.has_sign ? 1 : 0] == '0';
  return number.whole > 0 && !begins_with_0 && !text.starts_with('+') &&
         (!number.has_point || number.fraction > 0) && !number.is_cut_off() &&
         number.end == text.size();
}

}  // namespace vibe::base
