#include "remote/run_query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/time.h"
#include "store/run_filters.h"

namespace vibe::remote {

using store::Millis;

namespace {

std::string number(double value) { return base::JsonWriter().number(value).text(); }

std::string names_of(const std::vector<score::RunStatus>& statuses) {
  std::vector<std::string_view> names;
  for (const auto status : statuses) names.push_back(to_string(status));
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

void add_bounds(Parameters& out, std::string_view least, std::string_view most,
                const store::Bounds& bounds) {
  if (bounds.least) out.emplace_back(least, number(*bounds.least));
  if (bounds.most) out.emplace_back(most, number(*bounds.most));
}

void add_time(Parameters& out, std::string_view name, const std::optional<Millis>& time) {
  if (time) out.emplace_back(name, base::iso_time(*time));
}

void add_text(Parameters& out, std::string_view name, const std::string& text) {
  if (!text.empty()) out.emplace_back(name, text);
}

void add_filters(Parameters& out, const store::RunQuery& query) {
  for (const auto& row : store::kStatusFilters)
    add_text(out, row.key.name, names_of(query.*row.statuses));
  for (const auto& row : store::kTextFilters) add_text(out, row.key.name, query.*row.text);
  for (const auto& row : store::kRangeFilters)
    add_bounds(out, row.least_key.name, row.most_key.name, query.*row.bounds);
  for (const auto& row : store::kTimeFilters) {
    add_time(out, row.from_key.name, (query.*row.range).from);
    add_time(out, row.to_key.name, (query.*row.range).to);
  }
}

}  // namespace vibe::remote
