// Models that are known: those of the price table, and the user's own endpoints, with the key
// that each needs. Asks nobody but a server of runs.
#pragma once

#include <optional>
#include <string_view>

#include "base/diagnostic.h"
#include "config/config.h"
#include "model/model_list.h"

namespace vibe::app {

enum class Which : bool { runnable, all };  // who can answer, each once; or all that are known

// `pattern`: a glob (`openai/*mini*`), or, without `*` and `?`, a part of the id; in either case
// upper and lower case are the same. Empty: all.
model::ModelList list_models(const config::Config& config, std::string_view pattern,
                             Which which = Which::all);
// Those of the server, where the configuration names one. Warnings and errors go to `out`.
std::optional<model::ModelList> find_models(const config::Config& config, std::string_view pattern,
                                            base::Diagnostics& out);

}  // namespace vibe::app
