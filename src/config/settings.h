// Settings: the text of a configuration file → what it says. Reads no files and no environment;
// all problems are reported at once. Safe from any thread.
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

// `./.vibecheck.yaml` comes with a repository that one may not trust: it cannot say where
// prompts and keys are sent, nor what a server lets suites do.
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

// A text without any key says nothing, and is no problem.
FileSettings read_settings(const base::SourcePtr& source, Place place, base::Diagnostics& out);

}  // namespace vibe::config
