// Known models as the API's JSON, written and read. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/json_value.h"
#include "model/model_list.h"

namespace vibe::wire {

// `{"models": […]}`: prices per token, as strings.
std::string models_json(const model::ModelList& list);
std::optional<model::ModelList> read_models(const base::JsonValue& from);

}  // namespace vibe::wire
