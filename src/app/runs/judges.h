// Judges: opens whom the checks of a plan need beside the model: judge models, the embedder, and
// looks for the programs. Everything that can be wrong with them is found before anything is sent.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/local.h"
#include "base/diagnostic.h"
#include "model/embedder.h"
#include "model/open.h"
#include "run/plan.h"

namespace vibe::app {

struct Judges {
  std::map<std::string, model::Opened> models;  // by the name that checks have for it; empty: none
  std::optional<model::OpenedEmbedder> embedder;  // none: no check needs it
};

// Of one run. With a recording, judges and embedders are those in it.
std::optional<Judges> open_judges(const run::Plan& plan, const model::Models& models,
                                  const Local& local,
                                  const std::shared_ptr<const model::Recording>& recording,
                                  const base::SourcePtr& source, base::Diagnostics& out);

// Whether the suite may use what it names, by its permissions: models, judges, programs. Opens
// nothing; what templates stand for is known when a run starts.
void permit_suite(const suite::Suite& suite, const std::string& model,
                  const Permissions& permissions, const base::SourcePtr& source,
                  base::Diagnostics& out);

// How often judges will be asked for one sample, if nothing is asked again: by the name that
// checks have for the judge.
std::map<std::string, std::int64_t> judge_calls(const run::Plan& plan,
                                                const run::PlannedSample& sample);

}  // namespace vibe::app
