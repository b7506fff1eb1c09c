// Rescored runs and their summary: written as JSON, lines of JSON and CSV, and read again. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/json_value.h"
#include "score/rescored.h"

namespace vibe::wire {

// One document: the members of the summary, and `rows`, one after the other: there may be very
// many. Each part is added to `out`, which can be emptied meanwhile.
class RescoredDocument {
 public:
  void begin(const score::RescoreSummary& summary, std::string& out);
  void add(const score::RescoredRun& run, std::string& out);
  void end(std::string& out) const;

 private:
  bool any_ = false;
};

// The lines of `POST /api/rescore`: `{"progress": {"done", "total"}}`, `{"summary": {…}}`,
// `{"run": {…}}`.
std::string progress_line(std::size_t done, std::size_t total);
std::string summary_line(const score::RescoreSummary& summary);
std::string run_line(const score::RescoredRun& run);

// None: it is not one.
std::optional<score::RescoreSummary> read_summary(const base::JsonValue& from);
std::optional<score::RescoredRun> read_rescored(const base::JsonValue& from);

std::string rescored_csv_head();
std::string rescored_csv_row(const score::RescoredRun& run);

}  // namespace vibe::wire
