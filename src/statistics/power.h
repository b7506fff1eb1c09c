// Power: the smallest difference that a comparison could have shown, and how many more evals would
// show a wished one. Pure.
#pragma once

#include <cstddef>
#include <optional>

namespace vibe::statistics {

struct PowerInputs {
  double units = 0;                   // random ones: evals, or cases
  double repeats = 0;                 // mean number of answers per question
  double other_error = 0;             // standard error of the difference, for other evals
  std::optional<double> rerun_error;  // asked again; none: each question has one answer
  std::optional<double> effect;       // the wished difference
  double level = 0.95;
};

// Evals, from an optimistic to a cautious estimate.
struct Needed {
  double effect = 0;
  std::size_t least = 0, most = 0;            // in all
  std::size_t more_least = 0, more_most = 0;  // in addition to those there are
  // With the evals there are: answers per question; none: repeats alone cannot show the effect.
  std::optional<std::size_t> repeats{};
};

// Shown four times in five.
struct Power {
  double these_evals = 0, other_evals = 0;
  std::optional<double> repeats_alone{};  // on other evals, with any number of repeats
  std::optional<Needed> needed{};
};

Power power(const PowerInputs& inputs);
// On these evals alone: the smallest difference for a standard error.
double smallest_difference(double error, double level);

}  // namespace vibe::statistics
