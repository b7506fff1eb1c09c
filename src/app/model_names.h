// The models that a command names, with those that a pattern stands for. Opens none of them.
#pragma once

#include <string>
#include <vector>

#include "app/local.h"
#include "base/diagnostic.h"

namespace vibe::app {

// Each once, in their order. `openai/gpt-4*` stands for all that are known here, or to the server
// where there is one. Code::unknown_model, Code::too_many
base::Result<std::vector<std::string>> model_names(const std::vector<std::string>& wanted,
                                                   const Local& local);

}  // namespace vibe::app
