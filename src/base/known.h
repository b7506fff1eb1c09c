// Sums in which numbers may be unknown; the sum is then unknown as well. Pure.
#pragma once

#include <optional>

namespace vibe::base {

template <class Number>
void add_known(std::optional<Number>& sum, const std::optional<Number>& more) {
  sum = sum && more ? std::optional<Number>(*sum + *more) : std::nullopt;
}

}  // namespace vibe::base
