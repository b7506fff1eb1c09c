// Values: a formula evaluated for many draws at once, from the values of its plan's inputs; with
// the signs of its denominators. One per thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "formula/batch.h"
#include "formula/program.h"
#include "statistics/plan.h"

namespace vibe::statistics {

class Values {
 public:
  Values(const formula::Program& program, std::size_t formula, const Plan& plan);

  // `inputs` has a column of `rows` values for each input of the plan, one after the other, each
  // `stride` values apart. `out` has the formula's value for each row, NaN if undefined.
  void run(std::span<const double> inputs, std::size_t stride, std::size_t rows, double* out);

  // Of the denominators in all rows so far: one was above 0, and below 0.
  struct Signs {
    bool above = false, below = false;
  };
  const std::vector<Signs>& signs() const { return signs_; }  // by denominator
  static bool change(std::span<const Signs> signs);

 private:
  std::vector<std::uint32_t> places_;  // of the program's inputs: in the plan; kNone: not used
  std::vector<std::vector<double>> denominators_;
  std::vector<Signs> signs_;
  std::vector<double> none_;  // a column for inputs that the formula does not use
  std::size_t formulas_ = 0;
  formula::Batch batch_;
};

// The text of the formula's denominator with this number, for messages.
std::string denominator_text(const formula::Program& program, std::size_t formula,
                             std::size_t number);

}  // namespace vibe::statistics
