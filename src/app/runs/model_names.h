// The models that a command names, including those that a pattern matches. Opens none of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "config/config.h"

namespace vibe::remote {
class Server;
}

namespace vibe::app {

// Called only if there is a pattern.
using KnownModels = std::function<base::Result<std::vector<std::string>>()>;
KnownModels models_here(const config::Config& config);
KnownModels models_of(remote::Server& server);

// Each once, in their order. `openai/gpt-4*` matches all known models. Code::unknown_model,
// Code::too_many
base::Result<std::vector<std::string>> model_names(const std::vector<std::string>& wanted,
                                                   const KnownModels& known_models);

}  // namespace vibe::app
