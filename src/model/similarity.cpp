#include <algorithm>
#include <cmath>

#include "model/embedder.h"

namespace vibe::model {

std::optional<double> cosine_similarity(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return std::nullopt;
  double product = 0, squares_a = 0, squares_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    product += x * y;
    squares_a += x * x;
    squares_b += y * y;
  }
  const double cosine = product / (std::sqrt(squares_a) * std::sqrt(squares_b));
  if (!std::isfinite(cosine)) return std::nullopt;
  return std::clamp(cosine, -1.0, 1.0);
}

}  // namespace vibe::model
