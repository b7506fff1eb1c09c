// Converts runs to and from the API's JSON, and to CSV. Both use the tables of score/run_shape.h.
// Reads JSON from any source: a member that is missing or has another type is unknown. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/json_value.h"
#include "score/run.h"
#include "store/archive.h"

namespace vibe::wire {

// The type of the check entry that says why there is no answer.
inline constexpr std::string_view kErrorType = "error";

// The name that clients show for a result: its eval's name, or the beginning of its prompt.
std::string client_name(const score::Result& result);

void write_result(base::JsonWriter& json, const score::Result& result);
// A run without its results. Totals are strings, as the API's clients expect.
void write_run(base::JsonWriter& json, const score::Run& run);
// A run with its results, the suite's text and the explanation of the score.
void write_run(base::JsonWriter& json, const score::Run& run,
               std::span<const score::Result> results);
// `{"runs": […], "pagination": {"total", "hasMore", "next"?}}`
std::string page_json(const store::RunPage& page);

// None: it is not a run.
std::optional<score::Run> read_run(const base::JsonValue& from);
std::optional<score::Result> read_result(const base::JsonValue& from);
// `results` of a run; none: one of them is not a result.
std::optional<std::vector<score::Result>> read_results(const base::JsonValue& run);
std::optional<store::RunPage> read_run_page(const base::JsonValue& from);

std::string runs_csv(std::span<const score::Run> runs);
std::string results_csv(std::span<const score::Result> results);

}  // namespace vibe::wire
