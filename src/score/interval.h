// Interval: the range that a figure is probably in; and the percentiles that some intervals are
// made of. Pure; safe from any thread.
#pragma once

#include <span>

namespace vibe::score {

struct Interval {
  double low = 0, high = 0;  // 95 %
};

// The value below which a share (0 to 1) of the values is, with linear interpolation. `sorted` is
// ascending and not empty.
double percentile(std::span<const double> sorted, double share);

}  // namespace vibe::score
