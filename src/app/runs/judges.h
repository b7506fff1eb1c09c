// Judges: opens what the checks of a plan need in addition to the model: judge models and the
// embedder, and looks for programs. Problems with them are found before anything is sent.
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
  std::map<std::string, model::Opened> models;    // by their name in checks; may be empty
  std::optional<model::OpenedEmbedder> embedder;  // none: no check needs it
};

// For one run. With a recording, judges and embedder come from it.
std::optional<Judges> open_judges(const run::Plan& plan, const model::Models& models,
                                  const Local& local,
                                  const std::shared_ptr<const model::Recording>& recording,
                                  const base::SourcePtr& source, base::Diagnostics& out);

// Reports the models, judges and programs that the suite may not use. Opens nothing; values of
// templates are known only when a run starts.
void permit_suite(const suite::Suite& suite, const std::string& model,
                  const Permissions& permissions, const base::SourcePtr& source,
                  base::Diagnostics& out);

// How many requests each judge gets for one sample, without retries, by its name in checks.
std::map<std::string, std::int64_t> judge_calls(const run::Plan& plan,
                                                const run::PlannedSample& sample);

}  // namespace vibe::app
