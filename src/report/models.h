// Known models as people and programs read them. Pure.
#pragma once

#include <string>

#include "model/model_list.h"
#include "report/run.h"

namespace vibe::report {

// Prices for a million tokens, the key that each needs, and what else can be named as a model.
std::string model_table(const model::ModelList& list, const TextStyle& style);
// `{"models": […]}` as the HTTP API has it: prices for one token, as texts.
std::string models_json(const model::ModelList& list);

}  // namespace vibe::report
