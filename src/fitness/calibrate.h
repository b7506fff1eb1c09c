// Calibrate: how well signals and score separate good outcomes from bad ones, if the outcomes are
// known, and weights that would separate them better. Pure; the same input gives the same figures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  std::string name;                        // a signal, or `score`
  std::size_t count = 0;                   // executions with a value
  std::optional<Auc> auc;                  // none: only one outcome, or no value
  std::optional<double> rank_correlation;  // Spearman's, with the outcome
};

enum class Separates : std::uint8_t {
  unknown,  // there is no AUC
  nothing,  // 0.5 is inside the interval
  weakly,   // the interval is on one side of 0.5
  well,     // the same, and the AUC is at least 0.7, or at most 0.3
};
Separates separates(const Separation& separation);
std::string_view to_string(Separates verdict);  // empty if unknown

struct FittedTerm {
  std::string expr;              // as in the rubric's formula
  double before = 0, after = 0;  // weights; the sum over all terms is the same
  // False: the term is unknown in all executions, or the same in all of them. That says nothing
  // about its weight, which stays unchanged.
  bool fitted = false;
};

struct Calibration {
  std::size_t good = 0, bad = 0;
  std::vector<Separation> separations;  // the score first, then every signal

  std::vector<FittedTerm> terms;  // empty: `why_not` says why there are no fitted weights
  std::size_t fitted_on = 0;      // executions
  std::size_t with_gaps = 0;      // those of them that lack a fitted term
  double penalty = 0;
  // AUC of the score with the old and the fitted weights. `after` is cross-validated: each
  // execution is scored with weights and a penalty that were chosen without it.
  std::optional<double> auc_before, auc_after;
  std::optional<AucGain> gain;
  std::string formula;  // with the fitted weights; empty: none
  std::string why_not;

  bool gain_within_noise() const { return gain && gain->interval.low <= 0; }
};

inline constexpr std::size_t kLeastOutcomes = 10;  // of each kind, for a fit
inline constexpr std::uint64_t kCalibrationSeed = 1;

// Fits weights to the terms of a formula of the shape Σ NUMBER · term, by logistic regression
// without negative weights; a term that subtracts points continues to do so. Missing values are
// replaced by the mean of the others, but only for the fit: scores before and after use the known
// terms, as the rubric says. Executions without a score are left out.
Calibration calibrate(std::span<const Labelled> executions, const Rubric& rubric);

}  // namespace vibe::fitness
