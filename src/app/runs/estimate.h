// Estimate: what a prepared run will take, estimated without sending anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/runs/prepare_run.h"
#include "base/diagnostic.h"

namespace vibe::app {

// The estimate for a judge.
struct JudgeEstimate {
  std::string model;
  std::int64_t requests = 0;
  std::optional<double> cost;  // US dollars; none: the price is unknown
};

// The estimate for a run. Follow-ups are unknown and not included.
struct Estimate {
  std::string model;
  std::size_t samples = 0;
  std::int64_t prompt_tokens = 0, completion_tokens = 0;
  std::int64_t output_tokens_each = 0;  // assumed
  std::string assumption;               // what they are based on
  std::optional<double> cost;           // US dollars; none: the price is unknown
  std::vector<JudgeEstimate> judges;
};

base::Result<std::vector<Estimate>> estimate(const Prepared& prepared, store::Runs& runs);

}  // namespace vibe::app
