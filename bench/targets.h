// Targets: the output of a benchmark, one line per figure: name, figure, target, ok or missed. A
// `*` marks a figure that depends on a quiet machine. If such a figure misses its target in the
// first of two rounds (VIBE_BENCH_ROUND=1), the line says `again`, and scripts/bench.sh runs the
// benchmark once more. Every benchmark exits with the code of its Targets. Not thread-safe.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace vibe::bench {

class Targets {
 public:
  static constexpr int kAgain = 3;  // exit code

  // For times, and figures computed from times.
  void at_most(std::string_view name, double figure, double limit, std::string_view unit) {
    timed(name, figure, unit, fmt::format("<= {:.4g} {}", limit, unit), figure <= limit);
  }
  void below(std::string_view name, double figure, double limit, std::string_view unit) {
    timed(name, figure, unit, fmt::format("< {:.4g} {}", limit, unit), figure < limit);
  }
  void at_least(std::string_view name, double figure, double limit, std::string_view unit) {
    timed(name, figure, unit, fmt::format(">= {:.4g} {}", limit, unit), figure >= limit);
  }
  // For figures that do not depend on a quiet machine.
  void memory_below(std::string_view name, double figure, double limit, std::string_view unit) {
    line(name, figure, unit, fmt::format("< {:.4g} {}", limit, unit), verdict(figure < limit));
  }
  void holds(std::string_view name, bool fact) {
    fmt::print("{:<60} {:>18}  {:<18} {}\n", name, fact ? "yes" : "no", "yes", verdict(fact));
  }
  // A figure without a target.
  void note(std::string_view name, double figure, std::string_view unit) {
    fmt::print("{:<60} {:>10.3f} {:<7}\n", name, figure, unit);
  }

  int exit_code() const { return again_ ? kAgain : missed_ ? 1 : 0; }

 private:
  static void line(std::string_view name, double figure, std::string_view unit,
                   const std::string& target, std::string_view verdict) {
    fmt::print("{:<60} {:>10.3f} {:<7}  {:<18} {}\n", name, figure, unit, target, verdict);
  }
  void timed(std::string_view name, double figure, std::string_view unit, const std::string& target,
             bool reached) {
    const bool is_again = !reached && is_first_round_;
    again_ = again_ || is_again;
    line(name, figure, unit, target + " *", is_again ? "again" : verdict(reached));
  }
  std::string_view verdict(bool reached) {
    missed_ = missed_ || !reached;
    return reached ? "ok" : "missed";
  }

  const bool is_first_round_ = [] {
    const char* round = std::getenv("VIBE_BENCH_ROUND");
    return round != nullptr && std::string_view(round) == "1";
  }();
  bool missed_ = false, again_ = false;
};

}  // namespace vibe::bench
