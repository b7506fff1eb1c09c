// The values of a run's variables and secrets.
#pragma once

#include <functional>
#include <vector>

#include "app/runs/tools.h"
#include "base/diagnostic.h"
#include "config/config.h"
#include "run/fill.h"
#include "run/plan.h"
#include "store/backend.h"
#include "suite/suite.h"

namespace vibe::app {

struct RunValues {
  run::Values variables, secrets;
};
using NamedUses = std::vector<run::NamedUse>;
using ReadValues = std::function<base::Result<RunValues>(const NamedUses&)>;
ReadValues values_of(store::Variables& variables, store::Vault& secrets);
// A server gives only the names of secrets: they stay templates.
ReadValues values_on_server(store::Variables& variables);

// The values that the suite and its overrides name. Errors point into `source`, the suite's text.
base::Result<run::Filler> find_values(const suite::Suite& suite, const base::SourcePtr& source,
                                      const run::PlanOptions& plan, const ToolsRequest& tools,
                                      const ReadValues& read);

// The limits for filled templates from the settings.
run::FillLimits fill_limits(const config::Config& config);

}  // namespace vibe::app
