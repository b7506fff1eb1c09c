#include "fitness/aggregate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "formula/arithmetic.h"

namespace vibe::fitness {

namespace {

// floor(share · n), with the share as a decimal: 0.29 · 100 is 29, although doubles give less.
std::size_t trimmed_at_either_end(std::size_t n, double share) {
  const double exact = share * static_cast<double>(n);
  const auto k = static_cast<std::size_t>(std::max(0.0, std::floor(exact + 1e-9)));
  return std::min(k, n == 0 ? 0 : (n - 1) / 2);  // something is always left
}

// Indexes into `scores`, in the order in which they are left out; equal scores: the oldest first.
template <class Better>
std::vector<std::uint32_t> outermost(std::span<const double> scores, Better better) {
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (scores[a] != scores[b]) return better(scores[a], scores[b]);
    return a > b;
  });
  return order;
}

// Removes `most` copies, in the given order.
void leave_out(std::span<const std::uint32_t> order, std::size_t most,
               std::vector<std::uint32_t>& counts) {
  for (const std::uint32_t place : order) {
    if (most == 0) return;
    const auto taken = static_cast<std::uint32_t>(std::min<std::size_t>(most, counts[place]));
    counts[place] -= taken;
    most -= taken;
  }
}

// How often each score counts: 1 or 0.
std::vector<std::uint32_t> kept(std::span<const double> scores, const Aggregation& rules) {
  const std::size_t k = trimmed_at_either_end(scores.size(), rules.trim);
  std::vector<std::uint32_t> counts(scores.size(), 1);
  if (k == 0) return counts;
  leave_out(outermost(scores, std::greater<>()), k, counts);
  leave_out(outermost(scores, std::less<>()), k, counts);
  return counts;
}

// The weighted mean of the newest copies; calls `counted` with each index and its weight.
template <class Counted>
double weighted_mean(std::span<const double> scores, std::span<const std::uint32_t> counts,
                     std::span<const double> weights, Counted counted) {
  double sum = 0, total = 0;
  std::size_t used = 0;
  for (std::size_t i = 0; i < scores.size() && used < weights.size(); ++i)
    for (std::uint32_t copy = 0; copy < counts[i] && used < weights.size(); ++copy) {
      sum += scores[i] * weights[used];
      total += weights[used];
      counted(i, weights[used++]);
    }
  return sum / total;
}

// Removes floating-point noise, which would change the rounding to hundredths: 94.875 may come out
// as 94.87499999999999. A single score is unchanged.
double without_noise(double mean, std::size_t scores) {
  return scores == 1 ? mean : formula::arithmetic::round_decimal(mean, 10);
}

}  // namespace

Resampler::Resampler(std::span<const double> scores, const Aggregation& rules)
    : scores_(scores),
      weights_(rules.weights),
      trim_(trimmed_at_either_end(scores.size(), rules.trim)),
      counts_(scores.size()) {
  if (trim_ == 0) return;
  lowest_ = outermost(scores, std::less<>());
  highest_ = outermost(scores, std::greater<>());
}

double Resampler::draw(base::SplitMix64& random) {
  std::fill(counts_.begin(), counts_.end(), 0);
  for (std::size_t i = 0; i < scores_.size(); ++i) ++counts_[random.below(scores_.size())];
  leave_out(highest_, trim_, counts_);
  leave_out(lowest_, trim_, counts_);
  return weighted_mean(scores_, counts_, weights_, [](std::size_t, double) {});
}

std::optional<Aggregate> aggregate(std::span<const double> scores, const Aggregation& rules) {
  if (scores.empty() || rules.weights.empty()) return std::nullopt;
  const auto counts = kept(scores, rules);
  Aggregate out;
  out.weights.resize(scores.size());
  for (const std::uint32_t count : counts) out.trimmed.push_back(count == 0);
  const double mean = weighted_mean(scores, counts, rules.weights,
                                    [&](std::size_t i, double weight) { out.weights[i] = weight; });
  out.value = without_noise(mean, scores.size());
  if (scores.size() < kLeastForInterval) return out;
  Resampler resampler(scores, rules);
  base::SplitMix64 random(kAggregateSeed);
  std::vector<double> draws(kResamples);
  for (double& draw : draws) draw = resampler.draw(random);
  std::sort(draws.begin(), draws.end());
  out.interval = score::Interval{score::percentile(draws, 0.025), score::percentile(draws, 0.975)};
  return out;
}

std::optional<double> aggregate_value(std::span<const double> scores, const Aggregation& rules) {
  if (scores.empty() || rules.weights.empty()) return std::nullopt;
  const double mean =
      weighted_mean(scores, kept(scores, rules), rules.weights, [](std::size_t, double) {});
  return without_noise(mean, scores.size());
}

std::vector<std::size_t> newest_first(std::span<const std::optional<std::int64_t>> ended) {
  std::vector<std::size_t> order(ended.size());
  std::iota(order.rbegin(), order.rend(), 0);  // the last argument first
  std::vector<std::size_t> dated;
  for (const std::size_t place : order)
    if (ended[place]) dated.push_back(place);
  std::sort(dated.begin(), dated.end(), [&](std::size_t a, std::size_t b) {
    return *ended[a] != *ended[b] ? *ended[a] > *ended[b] : a > b;
  });
  auto next = dated.begin();
  for (std::size_t& place : order)
    if (ended[place]) place = *next++;
  return order;
}

}  // namespace vibe::fitness
