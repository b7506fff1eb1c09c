// Evaluates a program for one row of inputs, and says why a value is undefined.
// Pure; agrees with batch.h to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formula/program.h"

namespace vibe::formula {

// The value of every node of every formula; NaN is undefined.
class Evaluation {
 public:
  // `inputs` holds a value for each of program.inputs. The program must outlive the evaluation.
  Evaluation(const Program& program, std::span<const double> inputs);

  const Program& program() const { return *program_; }
  double value(std::size_t formula) const { return values_[formula].back(); }
  double value(std::size_t formula, std::uint32_t node) const { return values_[formula][node]; }
  double score() const { return values_.back().back(); }

 private:
  const Program* program_;
  std::vector<std::vector<double>> values_;
};

// Why a formula is undefined.
struct Cause {
  const Input* input = nullptr;  // the program's input without a value; null: an operation
  // Names the sub-expression and its values:
  // `division by zero: total_cost is 0 in "success_pct / total_cost"`.
  std::string sentence;
};
// For a formula that is undefined.
Cause cause_of_undefined(const Evaluation& evaluation, std::size_t formula);

// Only the sentence; empty if the formula is defined.
std::string why_undefined(const Evaluation& evaluation, std::size_t formula);

}  // namespace vibe::formula
