// Study: one formula over one run, or over both runs of a comparison: how far its value moves if a
// part is left out, and its values over many draws. The value of a comparison is the candidate's
// minus the base's. Pure.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "formula/program.h"
#include "statistics/draws.h"
#include "statistics/parallel.h"
#include "statistics/values.h"

namespace vibe::statistics {

// How an interval widens for few units: by a factor, and by Student's distribution.
struct Spread {
  double factor = 1, freedom = 0;  // infinite: normal
};

struct Drawn {
  std::vector<double> values;        // of the draws, in order; NaN: undefined
  std::vector<Values::Signs> signs;  // of the denominators
  std::vector<double> undefined;     // the program's inputs in the first undefined draw, if any
};

class Study {
 public:
  Study(const formula::Program& program, std::size_t formula, const Design& design,
        const Redraw& redraw, const std::vector<const Answers*>& sides,
        std::optional<double> on_undefined);
  Study(const Study&) = delete;
  Study& operator=(const Study&) = delete;

  const formula::Program& program() const { return program_; }
  std::size_t formula() const { return formula_; }
  const Plan& plan() const { return plan_; }
  const Design& design() const { return design_; }
  const Redraw& redraw() const { return redraw_; }
  std::size_t sides() const { return weighted_.size(); }
  bool is_paired() const { return sides() == 2; }
  const Weighted& weighted(std::size_t side) const { return *weighted_[side]; }
  const FormulaDraws& draws(About about) const {
    return about == About::other_evals ? *other_ : *rerun_;
  }

  // By side: the formula's value if each answer counts once; without `on_undefined`.
  const std::vector<double>& plain_values() const { return plain_; }
  Spread spread(About about) const;
  // From the formula's value on each side, in place.
  double theta(std::span<const double> by_side) const;

 private:
  Spread other_spread() const;
  Spread rerun_spread() const;
  Spread spread_of(std::vector<double> variances) const;  // by stratum
  bool is_slow_to_delete() const;
  double variance(std::vector<double> thetas, std::size_t size) const;
  class Deletions;

  const formula::Program& program_;
  std::size_t formula_;
  const Design& design_;
  const Redraw& redraw_;
  std::optional<double> on_undefined_;
  Plan plan_;
  std::vector<std::unique_ptr<Weighted>> weighted_;
  std::unique_ptr<FormulaDraws> other_, rerun_;
  std::vector<double> plain_;
};

struct Wanted {
  const Study* study = nullptr;
  About about = About::other_evals;
};

// The draws of several formulas, from the same random numbers.
std::vector<Drawn> draw(std::span<const Wanted> wanted, std::size_t count,
                        const Parallel& parallel);

// The part of the draws to leave out at either end, so that the interval has this level.
double tail(const Spread& spread, double level, double least);
inline constexpr double kLeastTail = 5e-4;  // for other evals

// The value at a place from 1 on, linear between its neighbours. Reorders `values`.
double order_statistic(std::vector<double>& values, double place);

}  // namespace vibe::statistics
