// Config: the user's settings: the environment (and `HOME/.env`, for what the environment does not
// set) over `./.vibecheck.yaml` over `HOME/config.yaml`. Reads files and the environment, changes
// nothing. Every problem is reported with its position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "config/env_file.h"
#include "config/schema.h"
#include "config/serve_settings.h"
#include "model/embedder.h"
#include "model/open.h"

namespace vibe::config {

inline constexpr std::string_view kProjectFile = ".vibecheck.yaml";

struct Config {
  std::string home;                // `~/.vibecheck`, or VIBECHECK_HOME
  std::vector<std::string> files;  // the ones that were read, the strongest first
  Variables env_file;              // of `HOME/.env`
  model::Settings models;
  std::optional<std::string> model;  // for new suites
  std::string judge_model{kDefaultJudge}, embedding_model{model::kLocalEmbedder};
  // For `vibe check`, if neither a flag nor the suite says otherwise.
  std::optional<std::int64_t> threads;
  std::optional<double> budget;                              // US dollars for a run
  std::optional<double> run_timeout;                         // seconds for a run
  std::optional<std::int64_t> max_prompt_mib, max_plan_mib;  // limits for filled templates
  ServeSettings serve;                                       // only from `HOME/config.yaml`
  // The server that commands talk to, from kServerVariables, without a trailing slash, and its key,
  // from VIBECHECK_API_KEY; empty: none.
  std::string server, api_key;
};

// A variable from the environment or `.env`; empty ones do not count.
std::optional<std::string> variable(const Config& config, std::string_view name);

// The folder of settings and runs, `Config::home`, without reading anything.
std::optional<std::string> home(base::Diagnostics& out);

// Settings from command-line options.
struct Overrides {
  std::string server;  // empty: as configured
};

// Missing files are fine. After an error there is no config.
std::optional<Config> load(base::Diagnostics& out, const Overrides& overrides = {});

}  // namespace vibe::config
