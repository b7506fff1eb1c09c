// Experiment: answers of invented suites, again and again: in how many runs the intervals contain
// the true score, and what comparisons of two runs say. The same for any number of threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulation/cells.h"
#include "statistics/draws.h"

namespace vibe::simulation {

struct Effort {
  std::size_t experiments = 2'000, threads = 1;
};

inline constexpr std::array kAbouts{statistics::About::other_evals, statistics::About::rerun};

// Intervals that were shown, and those that contain the truth.
struct Covered {
  std::size_t shown = 0, covered = 0;
};
struct Coverage {
  std::vector<std::array<Covered, kAbouts.size()>> by_formula;  // then as in kAbouts
};
Coverage measure(const SuiteCell& cell, const World& world, std::uint64_t seed,
                 const Effort& effort);

struct Verdicts {
  std::size_t pairs = 0;
  std::size_t worse = 0;  // on these evals at least: the gate fails
  std::size_t different = 0, different_on_others = 0, better = 0, better_on_others = 0;
};
Verdicts measure(const PairCell& cell, std::uint64_t seed, const Effort& effort);

}  // namespace vibe::simulation
