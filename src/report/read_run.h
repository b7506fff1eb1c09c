// Reads runs back from the JSON that report/run_json.h writes: what is shown of a run that came
// from a server is what is shown of one of one's own. JSON of any origin may be read: what is
// missing or of another type is unknown, and what is no run is none. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/json_value.h"
#include "score/run.h"
#include "store/archive.h"

namespace vibe::report {

bool is_true(const base::JsonValue& from, std::string_view key);  // there, and `true`

// A time as the API writes it; none: it is null, or no time.
std::optional<score::Millis> read_time(const base::JsonValue& from, std::string_view key);

std::optional<score::Run> read_run(const base::JsonValue& from);
std::optional<score::Result> read_result(const base::JsonValue& from);
// `results` of a run; none: one of them is no result.
std::optional<std::vector<score::Result>> read_results(const base::JsonValue& run);

// `{"runs": […], "pagination": {…}}`
std::optional<store::RunPage> read_run_page(const base::JsonValue& from);

// `total` and `next` of a page.
template <class SomePage>
void read_pagination(const base::JsonValue& from, SomePage& page) {
  const base::JsonValue* pagination = from.find("pagination");
  if (!pagination) return;
  page.total = static_cast<std::size_t>(pagination->integer_of("total").value_or(0));
  page.next = pagination->text_of("next");
}

}  // namespace vibe::report
