// Compare: whether the candidate of two runs is better than the base, by any formula: the
// difference with its intervals, exact tests, a verdict, what explains it, and how many more evals
// would settle it. docs/statistics.md explains the method. Pure: the same bytes on every machine,
// for any number of threads.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "formula/program.h"
#include "statistics/contributions.h"
#include "statistics/exact_test.h"
#include "statistics/interval.h"
#include "statistics/pairs.h"
#include "statistics/power.h"
#include "statistics/verdict.h"

namespace vibe::statistics {

struct CompareSettings {
  Settings draws;
  Thresholds thresholds;
  std::size_t shuffles = kShuffles;
  bool explains = true;  // what makes the difference: takes longer than the rest
};

// Questions that each run answered once: in how many of them who passed.
struct Passes {
  std::size_t won = 0, lost = 0, both = 0, neither = 0;
  McNemar test;
};

struct Compared {
  std::array<std::optional<double>, 2> scores;  // over the common questions
  std::optional<double> difference;             // the candidate's less the base's
  // Without a difference, the rest is empty.
  std::optional<Claim> these_evals, other_evals;
  std::optional<Note> no_other_evals, no_rerun;  // why an interval is missing
  std::vector<Note> notes;
  std::optional<Judgement> judgement;
  std::optional<score::Interval> narrow;    // about these evals; leaves out 1 - level at either end
  std::optional<Power> power;               // none without draws for other evals
  std::optional<double> smallest_on_these;  // difference that could have been shown
  std::vector<Contribution> evals, terms;
  std::optional<Passes> passes;
  std::size_t draws = 0;
  Method method = Method::none;
};

// By the last formula of the program, which is the score.
Compared compare(const formula::Program& program, const Pairs& pairs,
                 std::optional<double> on_undefined, const CompareSettings& settings);

// Judges again, by a p-value that was adjusted for several comparisons.
void adjust(Compared& compared, double p, const CompareSettings& settings);

// Whether one value, such as a guard's, got lower: an exact test on these evals.
struct Guarded {
  std::array<std::optional<double>, 2> values;
  Test test;
};
Guarded guard(const formula::Program& program, const Pairs& pairs, const CompareSettings& settings);

}  // namespace vibe::statistics
