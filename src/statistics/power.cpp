#include "statistics/power.h"

#include <algorithm>
#include <cmath>

#include "statistics/distributions.h"

namespace vibe::statistics {

namespace {

constexpr double kPower = 0.8;

std::size_t whole(double value) {
  constexpr double kMost = 1e15;
  return static_cast<std::size_t>(std::ceil(std::min(value, kMost)));
}

// A difference that is this many standard errors large is shown four times in five.
double errors_of(double level) {
  return rounded(normal_quantile((1 + level) / 2) + normal_quantile(kPower));
}

}  // namespace

double smallest_difference(double error, double level) { return errors_of(level) * error; }

Power power(const PowerInputs& in) {
  const double z = errors_of(in.level);
  Power out{z * in.rerun_error.value_or(in.other_error), z * in.other_error};
  const double within = in.rerun_error ? *in.rerun_error * *in.rerun_error : 0;
  const double between = std::max(0.0, in.other_error * in.other_error - within);
  if (in.rerun_error) out.repeats_alone = z * std::sqrt(between);
  if (!in.effect || *in.effect <= 0) return out;
  const double squared = *in.effect * *in.effect / (z * z);
  const double least = in.other_error * in.other_error * in.units / squared;
  const double freedom = in.units - 1;
  const double caution = rounded(freedom / chi_squared_quantile(1 - kPower, freedom));
  Needed needed{*in.effect, whole(least), whole(least * caution)};
  const std::size_t have = whole(in.units);
  needed.more_least = needed.least - std::min(needed.least, have);
  needed.more_most = needed.most - std::min(needed.most, have);
  if (in.rerun_error && squared > between)
    needed.repeats = whole(within * in.repeats / (squared - between));
  out.needed = needed;
  return out;
}

}  // namespace vibe::statistics
