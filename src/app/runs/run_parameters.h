// RunParameters: how a run was started, as the store keeps it with the run (score::Run::parameters,
// JSON), so that it can go on in the same way.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/runs/tools.h"
#include "run/plan.h"
#include "suite/suite.h"

namespace vibe::app {

struct RunParameters {
  run::PlanOptions plan;
  ToolsRequest tools;                  // its token is not kept
  std::string plan_hash, rubric_hash;  // of what it asks, and of what it is judged by
};

// What the suite says of the model is for readers alone.
std::string to_json(const RunParameters& parameters, const suite::Metadata& metadata);
std::optional<RunParameters> read_parameters(std::string_view json);

}  // namespace vibe::app
