// RandomFormula: formulas and inputs made from a seed, the same on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "formula/program.h"

namespace vibe::formula {

class RandomFormula {
 public:
  explicit RandomFormula(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }

  // Over the evals a, b, c, the run-wide metrics and the first `metrics` of m0, m1, ….
  std::string formula(int depth, std::size_t metrics = 0) {
    if (depth <= 0 || below(6) == 0) return leaf(metrics);
    const auto next = [&] { return formula(depth - 1, metrics); };
    switch (below(16)) {
      case 0: return "(" + next() + " + " + next() + ")";
      case 1: return "(" + next() + " - " + next() + ")";
      case 2: return next() + " * (" + next() + ")";
      case 3: return "(" + next() + ") / (" + next() + ")";
      case 4: return "(" + next() + ")^(" + next() + ")";
      case 5: return "-(" + next() + ")";
      case 6: return "(not " + next() + ")";
      case 7: {
        static constexpr const char* kSigns[] = {"<", "<=", ">", ">=", "==", "!="};
        return "((" + next() + ") " + kSigns[below(6)] + " (" + next() + "))";
      }
      case 8: return "(" + next() + (below(2) == 0 ? " and " : " or ") + next() + ")";
      case 9: return "if(" + next() + ", " + next() + ", " + next() + ")";
      case 10: return "default(" + next() + ", " + next() + ")";
      case 11: return "clamp(" + next() + ", " + next() + ", " + next() + ")";
      case 12: return "round(" + next() + ", " + std::to_string(below(16)) + ")";
      case 13:
        return (below(2) == 0 ? "min(" : "max(") + next() + ", " + next() + ", " + next() + ")";
      default: {
        static constexpr const char* kOne[] = {"abs", "sqrt",  "log",  "log2",  "log10",
                                               "exp", "floor", "ceil", "round", "+"};
        return std::string(kOne[below(10)]) + "(" + next() + ")";
      }
    }
  }

  // Any double at all, special ones often.
  double anything() {
    static constexpr double kSpecial[] = {0.0,    -0.0,   1,    -1, 0.5,  100,   1e308, -1e308,
                                          1e-308, 5e-324, 1e16, 3,  -2.5, 1.005, 0.1,   kUndefined};
    if (below(3) != 0) return kSpecial[below(16)];
    return std::ldexp(static_cast<double>(random_()) - 2147483648.0,
                      static_cast<int>(below(200)) - 100);
  }

  // A value that the input can have in a run.
  double possible(const Input& input) {
    const Interval range = range_of(input);
    if (range.defined == Defined::perhaps && below(8) == 0) return kUndefined;
    static constexpr double kLarge[] = {0.001, 0.02, 0.5, 1, 2.5, 77, 1e5, 1e12};
    if (range.high <= 100) return range.high * static_cast<double>(below(9)) / 8;
    if (!range.nonzero && below(4) == 0) return 0;
    return std::max(range.low, kLarge[below(8)]);
  }

 private:
  std::string leaf(std::size_t metrics) {
    static constexpr const char* kLeaves[] = {
        "a",           "b",          "c",           "a_cost",        "b_latency",
        "success_pct", "total_cost", "avg_latency", "count(passed)", "0",
        "1",           "2",          "0.5",         "100",           "1e200",
        "1e-200",      "3.14159",    "10"};
    if (metrics > 0 && below(3) == 0) return "m" + std::to_string(below(metrics));
    return kLeaves[below(18)];
  }

  std::mt19937 random_;
};

}  // namespace vibe::formula
