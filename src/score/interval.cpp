#include "score/interval.h"

#include <cstddef>

namespace vibe::score {

double percentile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double fraction = place - static_cast<double>(below);
  if (fraction == 0) return sorted[below];  // the difference below may overflow
  return sorted[below] + (sorted[below + 1] - sorted[below]) * fraction;
}

}  // namespace vibe::score
