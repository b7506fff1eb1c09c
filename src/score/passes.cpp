#include "score/passes.h"

namespace vibe::score {

namespace {

// The chance that `k` of `all` things, taken without putting any back, are all among `some`.
double chance_that_all_are_among(std::size_t some, std::size_t all, std::size_t k) {
  if (k > all) return formula::kUndefined;
  if (k > some) return 0;
  double out = 1;
  for (std::size_t i = 0; i < k; ++i)
    out *= static_cast<double>(some - i) / static_cast<double>(all - i);
  return out;
}

}  // namespace

double pass_at(std::size_t answers, std::size_t passed, std::size_t k) {
  return 1 - chance_that_all_are_among(answers - passed, answers, k);
}

double pass_all(std::size_t answers, std::size_t passed, std::size_t k) {
  return chance_that_all_are_among(passed, answers, k);
}

double pass_chance(const formula::Input& input, std::size_t answers, std::size_t passed) {
  const auto k = static_cast<std::size_t>(input.constant);
  return input.statistic == formula::Statistic::pass_at ? pass_at(answers, passed, k)
                                                        : pass_all(answers, passed, k);
}

}  // namespace vibe::score
