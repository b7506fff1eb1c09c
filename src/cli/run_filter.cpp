#include "cli/run_filter.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/listing.h"

namespace vibe::cli {

using base::Code;

namespace {

struct OrderRow {
  std::string_view name;
  store::RunOrder order;
};
constexpr std::array kOrders{
    OrderRow{"created", store::RunOrder::created},
    OrderRow{"success", store::RunOrder::success},
    OrderRow{"cost", store::RunOrder::cost},
    OrderRow{"time", store::RunOrder::time},
    OrderRow{"score", store::RunOrder::score},
    OrderRow{"price-performance", store::RunOrder::price_performance},
};

struct BoundsRow {
  std::string_view least, most;  // options
  store::Bounds store::RunQuery::* bounds;
  double lowest, highest;  // that can be asked for
};
constexpr std::array kBounds{
    BoundsRow{"--min-cost", "--max-cost", &store::RunQuery::cost, 0, kAnyNumber},
    BoundsRow{"--min-success", "--max-success", &store::RunQuery::success, 0, 100},
    BoundsRow{"--min-score", "--max-score", &store::RunQuery::score, -kAnyNumber, kAnyNumber},
    BoundsRow{"--min-duration", "--max-duration", &store::RunQuery::duration, 0, kAnyNumber},
};

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
              fmt::format("`{}`: there is no status `{}`", option, base::printable(name)),
              allowed_statuses());
  if (arguments.has(option) && list(arguments, option).empty())
    out.add(Code::bad_usage, {}, fmt::format("`{}` names no status", option), allowed_statuses());
  return found;
}

void read_order(const Arguments& arguments, store::RunQuery& query, base::Diagnostics& out) {
  const auto name = arguments.get("--sort-by");
  query.ascending = arguments.has("--ascending");
  if (!name) return;
  for (const auto& row : kOrders)
    if (row.name == *name) {
      query.order = row.order;
      return;
    }
  out.add(Code::bad_usage, {},
          fmt::format("`--sort-by`: runs cannot be sorted by `{}`", base::printable(*name)),
          allowed(kOrders, [](const OrderRow& row) { return row.name; }));
}

}  // namespace

std::optional<store::RunQuery> read_query(const Arguments& arguments, base::Diagnostics& out) {
  store::RunQuery query;
  read_page(arguments, query, out);
  query.status = statuses(arguments, "--status", out);
  query.status_ne = statuses(arguments, "--status-ne", out);
  query.suite = arguments.get("--suite").value_or("");
  query.model = arguments.get("--model").value_or("");
  query.model_like = arguments.get("--model-like").value_or("");
  for (const auto& row : kBounds)
    query.*row.bounds =
        read_bounds(arguments, "run", row.least, row.most, out, row.lowest, row.highest);
  query.created_from = read_time(arguments, "--date-from", false, out);
  query.created_to = read_time(arguments, "--date-to", true, out);
  read_order(arguments, query, out);
  return out.failed() ? std::nullopt : std::optional(std::move(query));
}

}  // namespace vibe::cli
