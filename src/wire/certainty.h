// Certainty as JSON, which runs and scores share: `interval`, `rerun_interval`, `interval_notes`,
// `score_metric_intervals`, `draws`. Pure.
#pragma once

#include <optional>

#include "base/json.h"
#include "base/json_value.h"
#include "score/certainty.h"

namespace vibe::wire {

// The keys and their values, in an object; null and empty if there is no certainty.
void write_certainty(base::JsonWriter& json, const std::optional<score::Certainty>& certainty);
std::optional<score::Certainty> read_certainty(const base::JsonValue& from);

}  // namespace vibe::wire
