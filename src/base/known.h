// Sums of numbers of which some may be unknown: then the sum is, too. Pure.
#pragma once

#include <optional>

namespace vibe::base {

template <class Number>
void add_known(std::optional<Number>& sum, const std::optional<Number>& more) {
  sum = sum && more ? std::optional<Number>(*sum + *more) : std::nullopt;
}

}  // namespace vibe::base
