// Compares runs: is the candidate better than the base, by the candidate's formula or another one?
// Several candidates are each compared with the base. Nothing stored is changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/runs/contender.h"
#include "base/diagnostic.h"
#include "statistics/comparison.h"

namespace vibe::app {

struct CompareRequest {
  std::optional<std::string> formula;  // none: the candidate's
  std::vector<std::string> guards;     // `NAME`, `NAME:lower` or `NAME:higher`
  statistics::CompareSettings settings;
};

// All against the base, in order.
base::Result<std::vector<statistics::Comparison>> compare_runs(
    const Contender& base, const std::vector<Contender>& candidates, const CompareRequest& request);

}  // namespace vibe::app
