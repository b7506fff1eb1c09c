// Settings: the text of a configuration file → its settings. Reads no files and no environment; all
// problems are reported at once. Safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "config/serve_settings.h"
#include "model/open.h"
#include "price/price.h"

namespace vibe::config {

// `./.vibecheck.yaml` comes with a repository that the user may not trust: it cannot set where
// prompts and keys are sent, nor what a server allows suites to do.
enum class Place : std::uint8_t { home, project };

struct FileSettings {
  std::optional<std::string> model, judge_model, embedding_model;
  std::optional<std::int64_t> threads;
  std::optional<double> budget, run_timeout;
  std::optional<std::int64_t> max_prompt_mib, max_plan_mib;
  std::vector<model::Endpoint> endpoints;
  std::vector<model::HttpEndpoint> http;
  std::vector<price::ModelRow> prices;
  std::optional<ServeSettings> serve;
};

// A text without keys sets nothing, and is fine.
FileSettings read_settings(const base::SourcePtr& source, Place place, base::Diagnostics& out);

}  // namespace vibe::config
