// Aggregate: the time to combine many scores into one figure with its interval, and to compare two
// sets.
#include <cstddef>
#include <vector>

#include "base/random.h"
#include "fitness/aggregate.h"
#include "fitness/decide.h"
#include "targets.h"
#include "timing.h"

namespace {

constexpr std::size_t kScores = 100'000;
constexpr std::size_t kRounds = 2;

}  // namespace

int main() {
  using namespace vibe;
  base::SplitMix64 random(1);
  std::vector<double> before(kScores), after(kScores);
  for (double& score : before) score = 100 * random.uniform();
  for (double& score : after) score = 100 * random.uniform();
  const auto& rules = fitness::default_rubric().aggregation;
  double sum = 0;  // so that the compiler removes nothing
  const auto times = bench::in_turn(
      kRounds, {[&] { sum += fitness::aggregate(before, rules)->interval->high; },
                [&] { sum += *fitness::probability_better(before, after, rules, 1); }});
  bench::Targets targets;
  targets.below("the aggregate of 100,000 scores, with its interval", times[0].least(), 2, "s");
  targets.below("the probability that 100,000 others are better", times[1].least(), 4, "s");
  targets.holds("figures are finite", sum - sum == 0);
  return targets.exit_code();
}
