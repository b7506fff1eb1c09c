// Calibrate: how well signals and score tell good outcomes from bad ones, where the outcomes are
// known, and weights that would tell them better. Pure; the same input gives the same figures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fitness/rubric.h"
#include "fitness/separation.h"
#include "fitness/signals.h"

namespace vibe::fitness {

struct Labelled {
  Signals signals;
  std::optional<double> score;
  bool good = false;  // the outcome
};

// How well one figure separates.
struct Separation {
  std::string name;                        // of the signal, or `score`
  std::size_t count = 0;                   // executions that have it
  std::optional<Auc> auc;                  // none: only one outcome, or no value
  std::optional<double> rank_correlation;  // Spearman's, with the outcome
};

struct FittedTerm {
  std::string expr;              // as in the rubric's formula
  double before = 0, after = 0;  // weights; those of all terms have the same sum
  // False: the term is known of no execution, or the same in all of them, which tells nothing about
  // its weight; it stays as it is.
  bool fitted = false;
};

struct Calibration {
  std::size_t good = 0, bad = 0;
  std::vector<Separation> separations;  // the score first, then every signal

  std::vector<FittedTerm> terms;  // empty: `why_not` says why there are no fitted weights
  std::size_t fitted_on = 0;      // executions
  std::size_t with_gaps = 0;      // of them, those that lack a term that was fitted
  double penalty = 0;
  // Of the score by either weights. After: each execution is scored by weights that were fitted,
  // and a penalty that was chosen, without it.
  std::optional<double> auc_before, auc_after;
  std::optional<AucGain> gain;
  std::string formula;  // with the fitted weights; empty: none
  std::string why_not;

  bool gain_within_noise() const { return gain && gain->interval.low <= 0; }
};

inline constexpr std::size_t kLeastOutcomes = 10;  // of either, for a fit
inline constexpr std::uint64_t kCalibrationSeed = 1;

// Weights are fitted to the terms of a formula of the shape Σ NUMBER · term, by logistic regression
// without negative weights; a term that takes points goes on doing so. What an execution lacks is
// filled in with the mean of those that have it for the fit alone: scores, before and after, go by
// the terms that are known, as the rubric has it. An execution without a score is left out.
Calibration calibrate(std::span<const Labelled> executions, const Rubric& rubric);

}  // namespace vibe::fitness
