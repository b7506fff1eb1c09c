// Results as JSON lines, which any harness can write: one object per sample, read as a stream.
// Every broken line is an error with its number; a file with errors gives nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/file.h"
#include "score/samples.h"

namespace vibe::results {

enum class Field : std::uint8_t {
  name,
  passed,
  latency,
  cost,
  prompt_tokens,
  completion_tokens,
  output_quality,
  structure_score,
  fitness,
  error,
  tags
};

struct ResultField {
  Field field;
  std::string_view name, type, doc;
};

// The fields that vibe reads; it ignores others.
inline constexpr std::array kResultFields{
    ResultField{Field::name, "name", "text",
                "the eval that the sample belongs to; absent, null or empty if there is none"},
    ResultField{Field::passed, "passed", "`true` or `false`",
                "required; a sample without an answer or a verdict did not pass"},
    ResultField{Field::latency, "latency", "number ≥ 0",
                "seconds until the answer, 0 if it came from a cache; absent or null if there was "
                "no response"},
    ResultField{Field::cost, "cost", "number ≥ 0",
                "US dollars; absent or null if the price is unknown. A request that was never "
                "answered costs 0"},
    ResultField{Field::prompt_tokens, "prompt_tokens", "whole number ≥ 0",
                "absent or null if unknown; a request that was never answered (no latency, cost 0) "
                "uses none"},
    ResultField{Field::completion_tokens, "completion_tokens", "whole number ≥ 0",
                "absent or null if unknown, as for `prompt_tokens`"},
    ResultField{Field::output_quality, "output_quality", "number from 0 to 1",
                "as computed by `vibe fitness score`; absent or null if unknown"},
    ResultField{Field::structure_score, "structure_score", "number from 0 to 1",
                "as computed by `vibe fitness score`; absent or null if unknown"},
    ResultField{Field::fitness, "fitness", "number from 0 to 100",
                "as computed by `vibe fitness score`; absent or null if unknown"},
    ResultField{Field::error, "error", "text",
                "why the sample could not be answered or judged; absent, null or empty if it "
                "could. Ignored if the sample passed"},
    ResultField{Field::tags, "tags", "list of strings",
                "the eval's tags, for `\"tag:NAME\"` in formulas"},
};

// Adds the samples to `samples`; problems go to `out`.
void read_lines(base::Input input, score::Samples& samples, base::Diagnostics& out);

}  // namespace vibe::results
