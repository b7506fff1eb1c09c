// The functions of the formula language. One row has the name, the arguments, the documentation and
// an example that a test evaluates. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vibe::formula {

enum class FunctionId : std::uint8_t {
  abs,
  ceil,
  clamp,
  count,
  default_,
  exp,
  floor,
  if_,
  log,
  log10,
  log2,
  max,
  mean,
  median,
  min,
  pass_all,
  pass_at,
  pass_rate,
  percentile,
  pow,
  round,
  sqrt,
  stddev,
  sum,
};

enum class Takes : std::uint8_t {
  numbers,            // expressions
  column,             // COLUMN, then an optional STRING
  column_or_numbers,  // `min` and `max`
  column_and_number,  // COLUMN, constant, then an optional STRING
  number_of_answers,  // whole constant, then an optional STRING
  selector,           // STRING
};

struct Function {
  FunctionId id;
  std::string_view name;
  Takes takes;
  std::uint8_t least, most;  // number of arguments, if it takes numbers
  std::string_view signature, doc;
  std::string_view example;  // for the samples that docs/formula.md describes
  double example_value;
};

inline constexpr std::uint8_t kMaxArguments = 64;

// The examples use two evals: `math` (tag `hard`) with a passed and a failed sample of 1 s and 3 s,
// $0.01 and $0.03, 10 and 30 prompt tokens, 5 and 15 completion tokens; `greet`, with a passed
// sample of 2 s, $0.02, 20 and 10 tokens.
// clang-format off
inline constexpr std::array kFunctions{
    Function{FunctionId::abs, "abs", Takes::numbers, 1, 1, "abs(x)", "the absolute value of x", "abs(-3)", 3},
    Function{FunctionId::ceil, "ceil", Takes::numbers, 1, 1, "ceil(x)", "x rounded up to a whole number", "ceil(1.2)", 2},
    Function{FunctionId::clamp, "clamp", Takes::numbers, 3, 3, "clamp(x, lo, hi)", "x limited to lo…hi; undefined if lo > hi", "clamp(7, 0, 5)", 5},
    Function{FunctionId::count, "count", Takes::column, 0, 0, "count(COLUMN, \"glob\")", "the number of samples with a known value", "count(passed)", 3},
    Function{FunctionId::default_, "default", Takes::numbers, 2, 2, "default(x, y)", "y if x is undefined, else x", "default(greet / 0 ^ greet, 7)", 7},
    Function{FunctionId::exp, "exp", Takes::numbers, 1, 1, "exp(x)", "e to the power of x", "exp(0)", 1},
    Function{FunctionId::floor, "floor", Takes::numbers, 1, 1, "floor(x)", "x rounded down to a whole number", "floor(1.8)", 1},
    Function{FunctionId::if_, "if", Takes::numbers, 3, 3, "if(cond, a, b)", "a if cond is not 0, else b; only the chosen branch must be defined", "if(math > 0.4, 10, 20)", 10},
    Function{FunctionId::log, "log", Takes::numbers, 1, 1, "log(x)", "the natural logarithm of x", "log(1)", 0},
    Function{FunctionId::log10, "log10", Takes::numbers, 1, 1, "log10(x)", "the base 10 logarithm of x", "log10(1000)", 3},
    Function{FunctionId::log2, "log2", Takes::numbers, 1, 1, "log2(x)", "the base 2 logarithm of x", "log2(8)", 3},
    Function{FunctionId::max, "max", Takes::column_or_numbers, 1, kMaxArguments, "max(a, …) or max(COLUMN, \"glob\")", "the largest of 1 to 64 values, or of a column", "max(1, 5, 3)", 5},
    Function{FunctionId::mean, "mean", Takes::column, 0, 0, "mean(COLUMN, \"glob\")", "the arithmetic mean", "mean(latency, \"math\")", 2},
    Function{FunctionId::median, "median", Takes::column, 0, 0, "median(COLUMN, \"glob\")", "the middle value, or the mean of the middle two", "median(prompt_tokens)", 20},
    Function{FunctionId::min, "min", Takes::column_or_numbers, 1, kMaxArguments, "min(a, …) or min(COLUMN, \"glob\")", "the smallest of 1 to 64 values, or of a column", "min(latency, \"tag:hard\")", 1},
    Function{FunctionId::pass_all, "pass_all", Takes::number_of_answers, 0, 0, "pass_all(k, \"glob\")", "the chance that k answers to an eval all pass, the mean over evals; k is a constant from 1", "pass_all(2, \"math\")", 0},
    Function{FunctionId::pass_at, "pass_at", Takes::number_of_answers, 0, 0, "pass_at(k, \"glob\")", "the chance that at least one of k answers to an eval passes, the mean over evals; k is a constant from 1", "pass_at(1)", 0.75},
    Function{FunctionId::pass_rate, "pass_rate", Takes::selector, 0, 0, "pass_rate(\"glob\")", "the share of samples that passed, 0 to 1", "pass_rate(\"ma*\")", 0.5},
    Function{FunctionId::percentile, "percentile", Takes::column_and_number, 0, 0, "percentile(COLUMN, p, \"glob\")", "the p-th percentile, linearly interpolated; p is a constant 0–100", "percentile(latency, 75)", 2.5},
    Function{FunctionId::pow, "pow", Takes::numbers, 2, 2, "pow(x, y)", "x to the power of y, like x ^ y", "pow(2, 10)", 1024},
    Function{FunctionId::round, "round", Takes::numbers, 1, 2, "round(x, digits)", "x rounded to digits decimals (a constant 0–15, default 0), halves away from zero", "round(1.005, 2)", 1.01},
    Function{FunctionId::sqrt, "sqrt", Takes::numbers, 1, 1, "sqrt(x)", "the square root of x", "sqrt(16)", 4},
    Function{FunctionId::stddev, "stddev", Takes::column, 0, 0, "stddev(COLUMN, \"glob\")", "the sample standard deviation; undefined for a single value", "stddev(latency)", 1},
    Function{FunctionId::sum, "sum", Takes::column, 0, 0, "sum(COLUMN, \"glob\")", "the sum", "sum(completion_tokens)", 30},
};
// clang-format on

template <class Row, std::size_t N>
consteval bool sorted_unique(const std::array<Row, N>& rows) {
  for (std::size_t i = 1; i < N; ++i)
    if (!(rows[i - 1].name < rows[i].name)) return false;
  return true;
}
static_assert(sorted_unique(kFunctions), "keep the functions sorted by name");

const Function* find_function(std::string_view name);

}  // namespace vibe::formula
