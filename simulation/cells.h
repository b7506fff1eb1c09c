// Cells: what is simulated: kinds of suites with the formulas that score them, and pairs of runs
// with the formulas that compare them. Tables of rows; to simulate something else, add a row.
#pragma once

#include <string>
#include <vector>

#include "simulation/world.h"

namespace vibe::simulation {

struct Scored {
  std::string label, formula;  // an empty label: the formula
  // From this many answers on, and 20 evals, the share of intervals that contain the truth must be
  // within the band below.
  std::uint32_t judged_from = 1;
};
inline constexpr std::uint32_t kNeverJudged = UINT32_MAX;

// In per cent; "asked again" is judged from 3 answers on.
inline constexpr double kLeastCovered = 91, kMostCovered = 99.5;
inline constexpr std::uint32_t kJudgedEvals = 20, kJudgedAnswers = 3;

// Suites of one shape from some of the worlds.
struct SuiteCell {
  std::string suite;  // empty: plain evals, which are in the main tables
  Shape shape;
  std::vector<std::size_t> worlds;  // places in kWorlds
  std::vector<Scored> formulas;
};
std::vector<SuiteCell> suite_cells();

// Two runs of a suite: the candidate's evals fail `failures` times as often, and a share of them is
// `redrawn`, that is, as hard as some other eval.
struct PairCell {
  World world = kWorlds[1];
  std::uint32_t evals = 20, answers = 1;
  Scored formula;
  double failures = 1, redrawn = 0;
  std::string planned = {};  // the difference that such a pair should show four times in five
  bool on_others = false;    // as well as on these evals
};
std::vector<PairCell> pair_cells();

// Pairs with as many evals as the formula for power in docs/statistics.md wants, and some more.
std::vector<PairCell> planned_pairs();

}  // namespace vibe::simulation
