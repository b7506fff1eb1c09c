// Comparisons of runs in JSON, as `vibe compare --json` and `GET /api/compare` give them. Pure.
#pragma once

#include <span>
#include <string>

#include "base/json.h"
#include "statistics/comparison.h"

namespace vibe::wire {

void write_comparison(base::JsonWriter& json, const statistics::Comparison& one,
                      const statistics::Settings& settings);
// One comparison is an object; several are an array under `comparisons`.
std::string comparisons_json(std::span<const statistics::Comparison> comparisons,
                             const statistics::Settings& settings);
// An array under `comparisons`, and one under `confirmation` of those that were asked again.
std::string confirmed_json(std::span<const statistics::Comparison> comparisons,
                           std::span<const statistics::Comparison> confirmation,
                           const statistics::Settings& settings);

}  // namespace vibe::wire
