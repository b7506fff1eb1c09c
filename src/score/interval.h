// Interval: within which a figure lies by what is known; and the percentiles that some are made of.
// Pure; safe from any thread.
#pragma once

#include <span>

namespace vibe::score {

struct Interval {
  double low = 0, high = 0;  // 95 %
};

// That below which a share (0 to 1) of the values lies, with linear interpolation. `sorted` ascends
// and is not empty.
double percentile(std::span<const double> sorted, double share);

}  // namespace vibe::score
