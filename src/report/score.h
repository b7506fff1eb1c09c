// A score as people read it. Pure: returns text, prints nothing.
#pragma once

#include <string>

#include "score/score.h"

namespace vibe::report {

// `Score: 45.23 (formula: success_pct / total_cost)`, or `Score: N/A (why)`
std::string score_line(const score::Score& score);

// The block that begins with `=== Run Summary ===`. Lines end with line breaks.
std::string summary(const score::Score& score, const score::Gates& gates);

// The score and each metric with the tree of its sub-expressions.
std::string explanation(const score::Score& score);

}  // namespace vibe::report
