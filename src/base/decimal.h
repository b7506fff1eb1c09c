// Decimal: the parts of a decimal number that a text begins with. Every grammar of numbers here
// (JSON's, that of formulas, that of parse_double()) is a question about these parts. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace vibe::base {

struct Decimal {
  bool has_sign = false, has_point = false, has_exponent = false;
  std::size_t whole = 0, fraction = 0, exponent = 0;  // how many digits
  std::size_t mantissa_end = 0, end = 0;              // places in the text

  bool has_digits() const { return whole + fraction > 0; }
  bool is_cut_off() const { return has_exponent && exponent == 0; }  // `1e`, `1e+`
};

Decimal scan_decimal(std::string_view text);

// As JSON writes it, where others are laxer: no `+1`, `01`, `.5`, `1.` or `1e`.
bool is_json_number(std::string_view text);

}  // namespace vibe::base
