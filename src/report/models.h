// The list of known models, as text. Pure.
#pragma once

#include <string>

#include "model/model_list.h"
#include "report/run.h"

namespace vibe::report {

// Prices per million tokens, the key that each model needs, and the other forms of model names.
std::string model_table(const model::ModelList& list, const TextStyle& style);

}  // namespace vibe::report
