// Check: what is known about a parsed formula before anything runs: denominators that are or can be
// zero, values that are certainly undefined, comparisons that never change. Pure. Linear in the
// number of nodes.
#pragma once

#include <span>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formula/interval.h"
#include "formula/tree.h"

namespace vibe::formula {

// Reports what it finds, and returns the formula's range. `metrics` holds the ranges of the metrics
// that the formula uses.
Interval check(const Tree& tree, const base::Passage& text, std::span<const Input> inputs,
               std::span<const Interval> metrics, base::Diagnostics& out);

}  // namespace vibe::formula
