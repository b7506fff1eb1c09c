// A score as people read it. Pure: returns text, prints nothing.
#pragma once

#include <optional>
#include <string>

#include "score/certainty.h"
#include "score/score.h"

namespace vibe::report {

// `Score: 45.23 (formula: success_pct / total_cost)`, or `Score: N/A (why)`
std::string score_line(const score::Score& score);

// The block that begins with `=== Run Summary ===`, then how sure the score is. Lines end with line
// breaks.
std::string summary(const score::Score& score, const score::Gates& gates,
                    const std::optional<score::Certainty>& certainty);

// `Asked again: 78.90 – 83.40 (95 %)`, `Other evals like these: 70.20 – 89.00 (95 %)`, notes.
std::string certainty_lines(const score::FormulaCertainty& certainty, double level);
std::string interval_text(const score::Interval& interval);  // `78.90 – 83.40`

// The score and each metric with the tree of its sub-expressions.
std::string explanation(const score::Score& score);

}  // namespace vibe::report
