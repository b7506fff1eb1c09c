// The values of a run's variables and secrets.
#pragma once

#include "app/local.h"
#include "app/tools.h"
#include "base/diagnostic.h"
#include "run/fill.h"
#include "run/plan.h"
#include "suite/suite.h"

namespace vibe::app {

// Those that the suite names, and what is said instead of it. Of secrets a server tells the names
// alone: there they stay templates. Errors point into `source`, that of the suite.
base::Result<run::Filler> find_values(const suite::Suite& suite, const base::SourcePtr& source,
                                      const run::PlanOptions& plan, const ToolsRequest& tools,
                                      Local& local);

// How large the settings allow filled templates to be.
run::FillLimits fill_limits(const config::Config& config);

}  // namespace vibe::app
