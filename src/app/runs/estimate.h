// Estimate: what a run that was prepared will take, reckoned without asking anybody.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/runs/prepare_run.h"
#include "base/diagnostic.h"

namespace vibe::app {

// Of a judge.
struct JudgeEstimate {
  std::string model;
  std::int64_t requests = 0;
  std::optional<double> cost;  // US dollars; none: the price is not known
};

// Of a run. Of follow-ups nobody knows.
struct Estimate {
  std::string model;
  std::size_t samples = 0;
  std::int64_t prompt_tokens = 0, completion_tokens = 0;
  std::int64_t output_tokens_each = 0;  // what was assumed
  std::string assumption;               // why so many
  std::optional<double> cost;           // US dollars; none: the price is not known
  std::vector<JudgeEstimate> judges;
};

base::Result<std::vector<Estimate>> estimate(const Prepared& prepared, store::Runs& runs);

}  // namespace vibe::app
