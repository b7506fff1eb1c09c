// Runs as programs read them: JSON as the HTTP API has it, and CSV. report/read_run.h reads the
// JSON back. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "score/run.h"
#include "store/archive.h"

namespace vibe::report {

// A document that people read as well: how it is begun, and its text, which ends with a line end.
base::JsonWriter indented_json();
std::string json_document(const base::JsonWriter& json);

// A key and a time in UTC, or null.
void write_time(base::JsonWriter& json, std::string_view key,
                const std::optional<score::Millis>& value);

// Of the entry among the checks of a result that says why there is no answer.
inline constexpr std::string_view kErrorType = "error";

// What clients show a result by: its eval's name, or the beginning of its prompt.
std::string client_name(const score::Result& result);

void write_result(base::JsonWriter& json, const score::Result& result);
// A run without its results. Totals are texts, as the API's clients expect them.
void write_run(base::JsonWriter& json, const score::Run& run);
// A run with its results, the suite's text and the explanation of the score.
void write_run(base::JsonWriter& json, const score::Run& run,
               std::span<const score::Result> results);

// `"pagination": {"total", "hasMore", "next"?}`
void write_pagination(base::JsonWriter& json, std::size_t total, std::string_view next);

// `{"runs": […], "pagination": {"total", "hasMore", "next"?}}`
std::string page_json(const store::RunPage& page);

std::string runs_csv(std::span<const score::Run> runs);
std::string results_csv(std::span<const score::Result> results);

}  // namespace vibe::report
