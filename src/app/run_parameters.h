// RunParameters: how a run was started, as the store keeps it with the run (score::Run::parameters,
// JSON), so that it can go on in the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/tools.h"
#include "run/plan.h"
#include "score/run.h"
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

// The last arrival of a run's results when it was queued again; 0: it had none. Those that came
// later are what its place in the queue is about.
std::int64_t queued_after(const score::Run& run);
void set_queued_after(score::Run& run, std::int64_t arrival);

}  // namespace vibe::app
