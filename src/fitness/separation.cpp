#include "fitness/separation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace vibe::fitness {

namespace {

constexpr double kNormal975 = 1.959963984540054;

// Ranks from 1; equal figures get the mean of their ranks.
std::vector<double> midranks(std::span<const double> figures) {
  std::vector<std::size_t> order(figures.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return figures[a] < figures[b]; });
  std::vector<double> ranks(figures.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && figures[order[end]] == figures[order[begin]]) ++end;
    const double middle = static_cast<double>(begin + 1 + end) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = middle;
  }
  return ranks;
}

// For each execution, the share of executions with the other outcome that it is on the right side
// of: above a bad one, below a good one. The mean over either outcome is the AUC.
struct Placements {
  std::vector<double> good, bad;
  double auc = 0;
};

std::optional<Placements> placements(std::span<const double> figures,
                                     std::span<const std::uint8_t> outcomes) {
  std::vector<double> of_good, of_bad;
  for (std::size_t i = 0; i < figures.size(); ++i)
    (outcomes[i] ? of_good : of_bad).push_back(figures[i]);
  if (of_good.empty() || of_bad.empty()) return std::nullopt;
  const auto all = midranks(figures), good = midranks(of_good), bad = midranks(of_bad);
  const auto goods = static_cast<double>(of_good.size()), bads = static_cast<double>(of_bad.size());
  Placements out;
  double sum = 0;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (outcomes[i]) {
      out.good.push_back((all[i] - good[out.good.size()]) / bads);
      sum += out.good.back();
    } else {
      out.bad.push_back(1 - (all[i] - bad[out.bad.size()]) / goods);
    }
  }
  out.auc = sum / goods;
  return out;
}

double covariance(std::span<const double> a, double mean_a, std::span<const double> b,
                  double mean_b) {
  if (a.size() < 2) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - mean_a) * (b[i] - mean_b);
  return sum / static_cast<double>(a.size() - 1);
}

double covariance(const Placements& a, const Placements& b) {
  return covariance(a.good, a.auc, b.good, b.auc) / static_cast<double>(a.good.size()) +
         covariance(a.bad, a.auc, b.bad, b.auc) / static_cast<double>(a.bad.size());
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

score::Interval on_logit_scale(double auc, double variance) {
  const double middle = std::log(auc / (1 - auc));
  const double reach = kNormal975 * std::sqrt(variance) / (auc * (1 - auc));
  return {logistic(middle - reach), logistic(middle + reach)};
}

// The variance by Hanley and McNeil for exponential figures, if the AUC were `x`.
double model_variance(double x, double goods, double bads) {
  const double mean = (goods + bads) / 2 - 1;
  return x * (1 - x) * (1 + mean * (1 - x) / (2 - x) + mean * x / (1 + x)) / (goods * bads);
}

// All values of the AUC that a test would not reject: the root of a monotone function on either
// side of the observed AUC, found by bisection.
score::Interval by_score_test(double auc, double goods, double bads) {
  const auto end = [&](double far) {
    double near = auc;
    for (int step = 0; step < 60; ++step) {
      const double middle = (near + far) / 2;
      const double reach = kNormal975 * std::sqrt(model_variance(middle, goods, bads));
      (std::fabs(middle - auc) < reach ? near : far) = middle;
    }
    return (near + far) / 2;
  };
  return {auc > 0 ? end(0) : 0, auc < 1 ? end(1) : 1};
}

}  // namespace

std::optional<Auc> auc(std::span<const double> figures, std::span<const std::uint8_t> outcomes) {
  const auto placed = placements(figures, outcomes);
  if (!placed) return std::nullopt;
  const double value = std::clamp(placed->auc, 0.0, 1.0);
  const double variance = covariance(*placed, *placed);
  const auto goods = static_cast<double>(placed->good.size());
  const auto bads = static_cast<double>(placed->bad.size());
  const bool told = goods >= 2 && bads >= 2 && variance > 0 && value > 0 && value < 1;
  return Auc{value, told ? on_logit_scale(value, variance) : by_score_test(value, goods, bads)};
}

std::optional<AucGain> auc_gain(std::span<const double> before, std::span<const double> after,
                                std::span<const std::uint8_t> outcomes) {
  const auto a = placements(before, outcomes), b = placements(after, outcomes);
  if (!a || !b) return std::nullopt;
  const double variance = covariance(*a, *a) + covariance(*b, *b) - 2 * covariance(*a, *b);
  const double value = b->auc - a->auc, reach = kNormal975 * std::sqrt(std::max(0.0, variance));
  return AucGain{value, {value - reach, value + reach}};
}

std::optional<double> rank_correlation(std::span<const double> figures,
                                       std::span<const std::uint8_t> outcomes) {
  const std::vector<double> as_figures(outcomes.begin(), outcomes.end());
  const auto a = midranks(figures), b = midranks(as_figures);
  const double mean = static_cast<double>(a.size() + 1) / 2;  // of any ranks
  const double both = covariance(a, mean, b, mean);
  const double spread = covariance(a, mean, a, mean) * covariance(b, mean, b, mean);
  if (!(spread > 0)) return std::nullopt;
  return std::clamp(both / std::sqrt(spread), -1.0, 1.0);
}

}  // namespace vibe::fitness
