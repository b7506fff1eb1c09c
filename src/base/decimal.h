// Decimal: the parts of the decimal number at the start of a text. Each number grammar here (JSON,
// formulas, parse_double()) is a condition on these parts. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace vibe::base {

struct Decimal {
  bool has_sign = false, has_point = false, has_exponent = false;
  std::size_t whole = 0, fraction = 0, exponent = 0;  // numbers of digits
  std::size_t mantissa_end = 0, end = 0;              // offsets in the text

  bool has_digits() const { return whole + fraction > 0; }
  bool is_cut_off() const { return has_exponent && exponent == 0; }  // `1e`, `1e+`
};

Decimal scan_decimal(std::string_view text);

// A valid JSON number: no `+1`, `01`, `.5`, `1.` or `1e`.
bool is_json_number(std::string_view text);

}  // namespace vibe::base
