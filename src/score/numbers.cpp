#include "score/numbers.h"

#include <cmath>

#include <fmt/format.h>

namespace vibe::score {

std::string show_score(double value) {
  const double size = std::fabs(value);
  if (size >= 1e7 || (size < 0.01 && value != 0)) return fmt::format("{:.4g}", value);
  return fmt::format("{:.2f}", value == 0 ? 0.0 : value);
}

namespace {

// Small costs get enough decimals to show two digits.
int decimals_of_cost(double dollars) {
  const double size = std::fabs(dollars);
  return size >= 0.0001 || size == 0 ? 4 : 1 - static_cast<int>(std::floor(std::log10(size)));
}

}  // namespace

std::string show_cost(double dollars) {
  constexpr double kTooSmall = 1e-12;  // to write out
  if (std::isnan(dollars)) return "N/A";
  if (dollars != 0 && std::fabs(dollars) < kTooSmall) return fmt::format("${:.2g}", dollars);
  return fmt::format("${:.{}f}", dollars == 0 ? 0.0 : dollars, decimals_of_cost(dollars));
}

std::string show_enough(double dollars) {
  const double unit = std::pow(10, decimals_of_cost(dollars));
  return show_cost(std::ceil(dollars * unit - 1e-6) / unit);
}

std::string show_percent(double percent) {
  return std::isnan(percent) ? "N/A" : fmt::format("{:.1f}%", percent);
}

}  // namespace vibe::score
