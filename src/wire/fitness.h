// An execution's score as JSON. Pure.
#pragma once

#include "base/json.h"
#include "base/shape_json.h"
#include "fitness/score.h"

namespace vibe::wire {

// With Detail::all, also writes where every point comes from.
void write_fitness(base::JsonWriter& json, const fitness::Scored& scored,
                   const fitness::Rubric& rubric, base::Detail detail);

}  // namespace vibe::wire
