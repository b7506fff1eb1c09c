// Targets: what a benchmark prints, one line a figure: name, figure, target, ok or missed.
// The exit code of every benchmark is that of its Targets. Not thread-safe.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace vibe::bench {

class Targets {
 public:
  void at_most(std::string_view name, double figure, double limit, std::string_view unit) {
    line(name, figure, unit, fmt::format("<= {:.4g} {}", limit, unit), figure <= limit);
  }
  void below(std::string_view name, double figure, double limit, std::string_view unit) {
    line(name, figure, unit, fmt::format("< {:.4g} {}", limit, unit), figure < limit);
  }
  void at_least(std::string_view name, double figure, double limit, std::string_view unit) {
    line(name, figure, unit, fmt::format(">= {:.4g} {}", limit, unit), figure >= limit);
  }
  void holds(std::string_view name, bool fact) {
    fmt::print("{:<60} {:>18}  {:<16} {}\n", name, fact ? "yes" : "no", "yes", verdict(fact));
  }
  // A figure without a target.
  void note(std::string_view name, double figure, std::string_view unit) {
    fmt::print("{:<60} {:>10.3f} {:<7}\n", name, figure, unit);
  }

  int exit_code() const { return missed_ ? 1 : 0; }

 private:
  void line(std::string_view name, double figure, std::string_view unit, const std::string& target,
            bool reached) {
    fmt::print("{:<60} {:>10.3f} {:<7}  {:<16} {}\n", name, figure, unit, target, verdict(reached));
  }
  std::string_view verdict(bool reached) {
    missed_ = missed_ || !reached;
    return reached ? "ok" : "missed";
  }

  bool missed_ = false;
};

}  // namespace vibe::bench
