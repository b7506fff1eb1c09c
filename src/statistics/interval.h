// Interval: how sure a score is. Two questions, two intervals: what would come out if the same
// evals were asked again, and what if other evals like these had been written. docs/statistics.md
// says how they are computed. Pure: the same bytes on every machine, for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formula/program.h"
#include "score/interval.h"
#include "score/samples.h"
#include "statistics/design.h"
#include "statistics/parallel.h"
#include "statistics/study.h"

namespace vibe::statistics {

inline constexpr std::size_t kMostDraws = 1'000'000, kLeastDraws = 100;
inline constexpr double kLeastLevel = 0.5, kMostLevel = 0.99, kUsualLevel = 0.95;

struct Settings {
  std::uint64_t seed = 1;
  std::optional<std::size_t> draws{};  // none: as many as the size of the run allows
  double level = kUsualLevel;
  std::optional<UnitKind> unit{};
  Parallel parallel = one_after_the_other;
};

enum class Method : std::uint8_t {
  none,         // there is no interval
  draws,        // `sbb-1`
  closed_form,  // `beta-1`
};
std::string_view to_string(Method method);

enum class NoteKind : std::uint8_t {
  // There is no interval:
  one_answer,  // of `rerun`: one answer per eval
  few_answers,
  too_few_evals,
  named_only,
  extremes,
  undefined_draws,
  sign,
  too_many_samples,
  // When not to trust it:
  rough,
  few_for_level,
  small_selection,
  few_for_percentile,
  heavy_tail,
  left_out_draws,
  // Of comparisons:
  unequal_answers,
  test_alone,
  borderline,
  smaller_than_margin,
  smaller_than_min_effect,
  not_superior,
};

struct Note {
  NoteKind kind = NoteKind::rough;
  std::string text;  // a sentence
};

// Of one formula.
struct Estimate {
  std::optional<score::Interval> other_evals, rerun;
  std::optional<Note> no_other_evals, no_rerun;  // why not, unless the formula has no value
  std::vector<Note> notes;                       // when not to trust them
  std::size_t draws = 0;
  Method method = Method::none;
};

// What else the tests look at.
struct Details {
  Spread other_spread, rerun_spread;
  double other_tail = 0, rerun_tail = 0;
  std::vector<double> other_values, rerun_values;  // of the draws; NaN: undefined
};

// All formulas of a suite, in order: the metrics, then the score. `values` are theirs;
// `on_undefined` replaces undefined scores in draws. `details` is filled if it is not null.
std::vector<Estimate> estimate(const formula::Program& program, const score::Samples& samples,
                               const std::vector<std::optional<double>>& values,
                               std::optional<double> on_undefined, const Settings& settings,
                               std::vector<Details>* details = nullptr);

}  // namespace vibe::statistics
