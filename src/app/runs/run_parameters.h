// RunParameters: how a run was started, stored with the run (score::Run::parameters, JSON), so that
// it can be resumed in the same way.
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
  ToolsRequest tools;                  // its token is not stored
  std::string plan_hash, rubric_hash;  // of its requests, and of its rubric
};

// The suite's settings for the model are only for readers.
std::string to_json(const RunParameters& parameters, const suite::Metadata& metadata);
std::optional<RunParameters> read_parameters(std::string_view json);

}  // namespace vibe::app
