#include "cli/run_filter.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/listing.h"
#include "store/run_filters.h"

namespace vibe::cli {

using base::Code;

namespace {

template <class Rows, class Name>
std::string allowed(const Rows& rows, Name name) {
  std::string out;
  for (const auto& row : rows) out += fmt::format("{}`{}`", out.empty() ? "" : ", ", name(row));
  return "choose one of " + out;
}

std::string allowed_statuses() {
  return allowed(score::kRunStatuses, [](score::RunStatus status) { return to_string(status); });
}

std::vector<score::RunStatus> statuses(const Arguments& arguments, std::string_view option,
                                       base::Diagnostics& out) {
  std::vector<score::RunStatus> found;
  for (const auto& name : list(arguments, option))
    if (const auto status = score::run_status(name))
      found.push_back(*status);
    else
      out.add(Code::bad_usage, {},
              fmt::format("`{}`: unknown status `{}`", option, base::printable(name)),
              allowed_statuses());
  if (arguments.has(option) && list(arguments, option).empty())
    out.add(Code::bad_usage, {}, fmt::format("`{}` is empty", option), allowed_statuses());
  return found;
}

void read_order(const Arguments& arguments, store::RunQuery& query, base::Diagnostics& out) {
  const auto name = arguments.get("--sort-by");
  query.ascending = arguments.has("--ascending");
  if (!name) return;
  for (const auto& row : store::kRunOrders)
    if (row.option == *name) {
      query.order = row.order;
      return;
    }
  out.add(Code::bad_usage, {},
          fmt::format("`--sort-by`: runs cannot be sorted by `{}`", base::printable(*name)),
          allowed(store::kRunOrders, [](const store::OrderRow& row) { return row.option; }));
}

}  // namespace

void read_filters(const Arguments& arguments, store::RunQuery& query, base::Diagnostics& out) {
  for (const auto& row : store::kStatusFilters)
    query.*row.statuses = statuses(arguments, row.option.name, out);
  for (const auto& row : store::kTextFilters) {
    const auto text = arguments.get(row.option.name);
    if (text && text->empty())
      out.add(Code::bad_usage, {}, fmt::format("`{}` is empty", row.option.name));
    query.*row.text = text.value_or("");
  }
  for (const auto& row : store::kRangeFilters)
    query.*row.bounds =
        read_bounds(arguments, "run", row.least.name, row.most.name, out, row.lowest, row.highest);
  for (const auto& row : store::kTimeFilters) {
    if (row.from.name.empty()) continue;
    query.*row.range = {read_time(arguments, row.from.name, false, out),
                        read_time(arguments, row.to.name, true, out)};
  }
}

std::optional<store::RunQuery> read_query(const Arguments& arguments, base::Diagnostics& out) {
  store::RunQuery query;
  read_page(arguments, query, out);
  read_filters(arguments, query, out);
  read_order(arguments, query, out);
  return out.failed() ? std::nullopt : std::optional(std::move(query));
}

}  // namespace vibe::cli
