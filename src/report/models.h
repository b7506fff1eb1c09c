// Known models as people and programs read them. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/json_value.h"
#include "model/model_list.h"
#include "report/run.h"

namespace vibe::report {

// Prices for a million tokens, the key that each needs, and what else can be named as a model.
std::string model_table(const model::ModelList& list, const TextStyle& style);
// `{"models": […]}` as the HTTP API has it: prices for one token, as texts.
std::string models_json(const model::ModelList& list);
std::optional<model::ModelList> read_models(const base::JsonValue& from);  // what that wrote

}  // namespace vibe::report
