// Rules: which names a row of prices is for, as data/prices.csv writes them. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace vibe::price {

// `*` is any text, `#` a digit; letters of either case are the same. Linear in most cases, never
// worse than the product of both lengths.
bool fits_rule(std::string_view glob, std::string_view name);

// How well a name fits alternatives, which spaces separate: 0 not at all, else more for more text
// that is not `*`, most for a name that stands there as it is. `A!B` fits where A does and B not.
std::size_t fit(std::string_view alternatives, std::string_view name);

}  // namespace vibe::price
