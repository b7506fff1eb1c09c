// Known models: those in the price table and the user's own endpoints, with the key that each
// needs. Sends no request, except to a vibe server.
#pragma once

#include <optional>
#include <string_view>

#include "base/diagnostic.h"
#include "config/config.h"
#include "model/model_list.h"

namespace vibe::app {

enum class Which : bool { runnable, all };  // those that can answer, each once; or all known ones

// `pattern`: a glob (`openai/*mini*`), or, without `*` and `?`, a part of the id; both ignore case.
// Empty: all.
model::ModelList list_models(const config::Config& config, std::string_view pattern,
                             Which which = Which::all);
// The server's models, if the configuration names one. Warnings and errors go to `out`.
std::optional<model::ModelList> find_models(const config::Config& config, std::string_view pattern,
                                            base::Diagnostics& out);

}  // namespace vibe::app
