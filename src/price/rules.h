// Rules: which names a price row is for, as written in data/prices.csv. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace vibe::price {

// `*` is any text, `#` a digit; letters match in either case. Mostly linear, never worse than the
// product of both lengths.
bool fits_rule(std::string_view glob, std::string_view name);

// How well a name fits any of the alternatives, which are separated by spaces: 0 for no match, more
// for more literal text, most for an exact match. `A!B` fits if A does and B does not.
std::size_t fit(std::string_view alternatives, std::string_view name);

}  // namespace vibe::price
