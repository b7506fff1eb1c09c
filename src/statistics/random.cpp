#include "statistics/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numbers>

#include "statistics/distributions.h"

namespace vibe::statistics {

namespace {

constexpr double kBinCount = kBins, kGrid = 1 << 20;

double on_grid(double value) { return std::nearbyint(value * kGrid) / kGrid; }

// The mean of bin k is shape - kBins * (edge(k + 1) - edge(k)).
template <class Edge>
Table table_of(double shape, const Edge& edge) {
  Table out;
  double before = edge(0);
  for (std::size_t k = 0; k < kBins; ++k) {
    const double after = edge(k + 1);
    out[k] = on_grid(shape - kBinCount * (after - before));
    before = after;
  }
  return out;
}

Table make_exponential() {
  return table_of(1, [](std::size_t k) {
    const double x = 1 - static_cast<double>(k) / kBinCount;
    return x > 0 ? -x * std::log(x) : 0;
  });
}

// Gamma(1/2) is half of a squared normal number.
Table make_half() {
  return table_of(0.5, [](std::size_t k) {
    if (k == kBins) return 0.0;
    const double z = normal_quantile(0.5 + static_cast<double>(k) / (2 * kBinCount));
    return z * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  });
}

// x^shape e^-x / Gamma(shape) at the quantiles k / kBins, each found by Newton's steps from the one
// before. In logarithms, because the first quantiles of a small shape are below any double.
Table make_gamma(double shape) {
  const double of_shape = log_gamma(shape);
  double log_x = (std::log(1 / kBinCount) + log_gamma(shape + 1)) / shape;
  return table_of(shape, [&](std::size_t k) {
    if (k == 0 || k == kBins) return 0.0;
    const double share = static_cast<double>(k) / kBinCount;
    double last = std::numeric_limits<double>::infinity();
    while (true) {
      const double x = std::exp(log_x), front = shape * log_x - x - of_shape;
      double step = 0;
      if (share <= 0.5 || x < shape + 1) {
        const double series = gamma_series(shape, x);
        step = (front + std::log(series) - std::log(share)) * series;
      } else {
        const double fraction = gamma_fraction(shape, x);
        step = (std::log(1 - share) - front - std::log(fraction)) * fraction;
      }
      if (std::abs(step) >= last) break;  // only rounding errors are left
      log_x -= step;
      last = std::abs(step);
      if (last < 4e-16 * std::max(1.0, std::abs(log_x))) break;
    }
    return std::exp(shape * log_x - std::exp(log_x) - of_shape);
  });
}

}  // namespace

Words philox(Words counter, std::uint64_t key) {
  constexpr std::uint32_t kFirst = 0xD2511F53, kSecond = 0xCD9E8D57;
  auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t first = std::uint64_t{kFirst} * counter[0];
    const std::uint64_t second = std::uint64_t{kSecond} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ low,
               static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ high,
               static_cast<std::uint32_t>(first)};
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return counter;
}

const Table& exponential_table() {
  static const Table table = make_exponential();
  return table;
}

const Table& normal_table() {
  static const Table table = [] {
    Table out;
    for (std::size_t k = 0; k < kBins; ++k)
      out[k] = on_grid(normal_quantile((static_cast<double>(k) + 0.5) / kBinCount));
    return out;
  }();
  return table;
}

std::shared_ptr<const Table> gamma_table(double shape) {
  constexpr std::size_t kMostTables = 1024;  // 32 MiB
  static std::mutex mutex;
  static std::map<double, std::shared_ptr<const Table>> tables;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = tables.find(shape); found != tables.end()) return found->second;
  }
  auto table = std::make_shared<const Table>(shape == 1     ? make_exponential()
                                             : shape == 0.5 ? make_half()
                                                            : make_gamma(shape));
  const std::lock_guard lock(mutex);
  if (tables.size() >= kMostTables) tables.clear();
  return tables.emplace(shape, std::move(table)).first->second;
}

}  // namespace vibe::statistics
