#include "store/run_conditions.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "store/run_filters.h"

namespace vibe::store {

using score::RunStatus;

namespace {

void add_text(Filter& filter, const TextFilter& row, const std::string& text) {
  switch (row.match) {
    case Match::equal: return filter.add(fmt::format("{} =", row.column), text);
    case Match::like: return filter.add(fmt::format("{} LIKE", row.column), text);
    case Match::listed:
      return filter.add_condition(fmt::format(
          "?{} IN (SELECT value FROM json_each(nullif({}, '')))", filter.value(text), row.column));
  }
  std::abort();
}

}  // namespace

Filter filter_of(const RunQuery& query) {
  Filter filter;
  for (const auto& row : kTextFilters)
    if (!(query.*row.text).empty()) add_text(filter, row, query.*row.text);
  for (const auto& row : kRangeFilters) filter.add(row.column, query.*row.bounds);
  for (const auto& row : kTimeFilters) filter.add(row.column, query.*row.range);
  return filter;
}

Statuses statuses_of(const RunQuery& query) {
  const auto among = [](const std::vector<RunStatus>& list, RunStatus status) {
    return std::find(list.begin(), list.end(), status) != list.end();
  };
  Statuses out;
  for (const RunStatus status : score::kRunStatuses)
    if ((query.status.empty() || among(query.status, status)) && !among(query.status_ne, status))
      out.push_back(fmt::format("'{}'", to_string(status)));
  return out;
}

bool is_any(const Statuses& status) { return status.size() == score::kRunStatuses.size(); }

std::string condition(const Statuses& status) {
  return is_any(status) ? "true" : fmt::format("status IN ({})", fmt::join(status, ", "));
}

}  // namespace vibe::store
