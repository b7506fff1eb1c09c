// Models that are known: those of the price table, and the user's own endpoints, with the key
// that each needs. Asks nobody.
#pragma once

#include <string_view>

#include "config/config.h"
#include "model/model_list.h"

namespace vibe::app {

// `pattern`: a glob (`openai/*mini*`), or, without `*` and `?`, a part of the id; in either case
// upper and lower case are the same. Empty: all.
model::ModelList list_models(const config::Config& config, std::string_view pattern);

}  // namespace vibe::app
