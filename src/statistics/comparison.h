// Comparison: two runs side by side, as it is shown and sent: what compare.h says about their
// scores, and which evals, aggregates and figures differ. Plain data, safe to copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "score/run.h"
#include "statistics/compare.h"

namespace vibe::statistics {

// One of the two.
struct ComparedSide {
  std::string label, model, suite;
  std::optional<score::Run> run;        // none: a file of results
  std::optional<double> success, cost;  // over the common questions
  std::optional<double> latency;        // mean
};

struct EvalChange {
  std::string name;
  double base = 0, candidate = 0;        // shares of answers that passed
  std::optional<double> contribution{};  // to the difference; none: the formula does not use it
  std::string prompt{}, base_answer{}, candidate_answer{};  // empty: not known
};

struct TermChange {
  std::string text;  // as in the formula
  std::optional<double> base, candidate;
  double contribution = 0;
};

// How many evals went which way; by the share of answers that passed.
struct Flips {
  std::vector<std::string> won, lost;
  std::size_t both = 0, neither = 0;  // the same share: above 0, and 0
};

struct GuardResult {
  std::string name;
  bool lower_is_better = false;
  std::optional<double> base, candidate;
  double p = 1;  // of the test whether it got worse; adjusted for the number of guards
  bool is_worse = false;
};

// US dollars.
struct CostRange {
  double least = 0, most = 0;
};

struct Comparison {
  ComparedSide base, candidate;
  std::string formula;
  Compared compared;
  std::optional<double> p_adjusted;  // of several comparisons with the same base
  std::string paired_by;
  std::size_t questions = 0;
  std::size_t least_answers = 0, most_answers = 0;  // that count, to a question
  std::vector<std::string> only_base, only_candidate, changed;
  std::vector<EvalChange> evals;  // those that explain most come first
  std::vector<TermChange> terms;
  Flips flips;
  std::vector<GuardResult> guards;
  std::optional<CostRange> cost_of_more;  // of the evals that are needed in addition, in both runs
  std::vector<std::string> notes;
  std::string verdict_note;  // why to doubt the verdict; empty: no reason is known
};

// What a gate says of a comparison.
enum class GateAnswer : std::uint8_t { passed, failed, inconclusive };
// `is_strict`: nothing shown is inconclusive.
GateAnswer gate_of(const Comparison& comparison, const Thresholds& thresholds, bool is_strict);

}  // namespace vibe::statistics
