#include "statistics/comparison.h"

#include <algorithm>

namespace vibe::statistics {

GateAnswer gate_of(const Comparison& comparison, const Thresholds& thresholds, bool is_strict) {
  const auto& judgement = comparison.compared.judgement;
  const auto& guards = comparison.guards;
  if (std::any_of(guards.begin(), guards.end(), [](const auto& guard) { return guard.is_worse; }))
    return GateAnswer::failed;
  if (!judgement) return GateAnswer::inconclusive;
  const bool has_unknown_guard = std::any_of(
      guards.begin(), guards.end(), [](const auto& one) { return !one.base || !one.candidate; });
  if (has_unknown_guard && !is_worse(judgement->verdict)) return GateAnswer::inconclusive;
  if (is_worse(judgement->verdict)) {
    const bool is_within = thresholds.not_worse_than && judgement->not_worse == true;
    return is_within ? GateAnswer::passed : GateAnswer::failed;
  }
  if (thresholds.not_worse_than && judgement->not_worse != true) return GateAnswer::inconclusive;
  if (is_strict && judgement->verdict == Verdict::no_difference_shown)
    return GateAnswer::inconclusive;
  return GateAnswer::passed;
}

}  // namespace vibe::statistics
