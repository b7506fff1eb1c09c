// Known models as people read them. Pure.
#pragma once

#include <string>

#include "model/model_list.h"
#include "report/run.h"

namespace vibe::report {

// Prices for a million tokens, the key that each needs, and what else can be named as a model.
std::string model_table(const model::ModelList& list, const TextStyle& style);

}  // namespace vibe::report
