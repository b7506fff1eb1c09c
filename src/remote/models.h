// The models that a server knows, with its prices, and whether it has the keys for them.
#pragma once

#include <string_view>

#include "base/diagnostic.h"
#include "model/model_list.h"
#include "remote/server.h"

namespace vibe::remote {

// Includes models that cannot run there. `pattern` is as in app/runs/list_models.h.
base::Result<model::ModelList> list_models(Server& server, std::string_view pattern);

}  // namespace vibe::remote
