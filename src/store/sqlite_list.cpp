// Lists of runs. First the keys of a page (the figure it is ordered by, and the run's number)
// are taken from an index, merged from the runs of each status; then its runs are read. The
// cost does not grow with the number of runs, unless a filter that has no index refuses most.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "store/filter.h"
#include "store/sqlite_store.h"

namespace vibe::store {

using base::Code;
using score::RunStatus;

namespace {

struct Order {
  RunOrder order;
  char letter;  // in cursors
  std::string_view column, index;
  bool everywhere;  // every run has the figure
};
constexpr std::array kOrders{
    Order{RunOrder::created, 'c', "created_at", "runs_created", true},
    Order{RunOrder::success, 's', "success", "runs_success", false},
    Order{RunOrder::cost, 'd', "total_cost", "runs_cost", false},
    Order{RunOrder::time, 't', "duration", "runs_time", false},
    Order{RunOrder::score, 'n', "score", "runs_score", false},
    Order{RunOrder::price_performance, 'p', "price_performance", "runs_price_performance", false},
};

// So few runs of a model are sorted, rather than found in the order's index.
constexpr std::int64_t kFewRuns = 2000;

const Order& order_of(RunOrder order) {
  return *std::find_if(kOrders.begin(), kOrders.end(),
                       [&](const Order& row) { return row.order == order; });
}

// Where a page ends: runs without the figure come after all that have it.
struct Key {
  std::optional<double> figure;
  std::int64_t number = 0;
};

std::string to_cursor(const Order& order, bool ascending, const Key& key) {
  const std::string figure =
      key.figure ? fmt::format("{:016x}", std::bit_cast<std::uint64_t>(*key.figure)) : "-";
  return fmt::format("{}{}{}.{}", order.letter, ascending ? 'a' : 'd', figure, key.number);
}

std::optional<Key> read_cursor(std::string_view text, const Order& order, bool ascending) {
  const std::size_t dot = text.find('.');
  if (dot == text.npos || dot < 3 || text[0] != order.letter || text[1] != (ascending ? 'a' : 'd'))
    return std::nullopt;
  Key key;
  const std::string_view number = text.substr(dot + 1), figure = text.substr(2, dot - 2);
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), key.number);
  if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) return std::nullopt;
  if (figure == "-") return key;
  std::uint64_t bits = 0;
  const auto end = std::from_chars(figure.data(), figure.data() + figure.size(), bits, 16);
  if (end.ec != std::errc() || end.ptr != figure.data() + figure.size()) return std::nullopt;
  key.figure = std::bit_cast<double>(bits);
  return key;
}

Filter filter_of(const RunQuery& query) {
  Filter filter;
  if (!query.suite.empty()) filter.add("suite =", query.suite);
  if (!query.model.empty()) filter.add("model =", query.model);
  if (!query.model_like.empty()) filter.add("model LIKE", query.model_like);
  filter.add("total_cost", query.cost);
  filter.add("success", query.success);
  filter.add("score", query.score);
  filter.add("duration", query.duration);
  if (query.created_from) filter.add("created_at >=", *query.created_from);
  if (query.created_to) filter.add("created_at <=", *query.created_to);
  return filter;
}

std::vector<std::string> statuses_of(const RunQuery& query) {
  const auto among = [](const std::vector<RunStatus>& list, RunStatus status) {
    return std::find(list.begin(), list.end(), status) != list.end();
  };
  std::vector<std::string> out;
  for (const RunStatus status : score::kRunStatuses)
    if ((query.status.empty() || among(query.status, status)) && !among(query.status_ne, status))
      out.push_back(fmt::format("'{}'", to_string(status)));
  return out;
}

// The lists that are merged into one: of each, its conditions.
std::vector<std::string> parts_of(const std::vector<std::string>& status, bool by_status,
                                  const std::vector<std::string>& places) {
  std::vector<std::string> out;
  for (const auto& place : places) {
    if (!by_status)
      out.push_back(fmt::format("status IN ({}){}", fmt::join(status, ", "), place));
    else
      for (const auto& each : status) out.push_back(fmt::format("status = {}{}", each, place));
  }
  return out;
}

// Of one list, the runs with the figure, or those without it.
struct Stretch {
  const Order& order;
  bool ascending, with_figure;
  std::string index;  // that must be used
  bool by_status;
};

std::vector<Key> take_keys(Database& database, const Stretch& stretch,
                           const std::vector<std::string>& status, Filter filter,
                           const std::optional<Key>& after, std::size_t limit, std::size_t offset) {
  const std::string_view column = stretch.order.column;
  const char beyond = stretch.ascending ? '>' : '<';
  std::vector<std::string> places;
  if (!after) {
    places = {stretch.order.everywhere
                  ? ""
                  : fmt::format(" AND {} IS {}NULL", column, stretch.with_figure ? "NOT " : "")};
  } else {
    const std::size_t number = filter.value(after->number);
    if (stretch.with_figure) {
      const std::size_t figure = filter.value(*after->figure);
      places = {fmt::format(" AND {} = ?{} AND number {} ?{}", column, figure, beyond, number),
                fmt::format(" AND {} {} ?{}", column, beyond, figure)};
    } else {
      places = {fmt::format(" AND {} IS NULL AND number {} ?{}", column, beyond, number)};
    }
  }
  std::vector<std::string> selects;
  for (const auto& part : parts_of(status, stretch.by_status, places))
    selects.push_back(fmt::format("SELECT {} AS figure, number FROM runs INDEXED BY {} WHERE {}{}",
                                  column, stretch.index, part, filter.conditions()));
  const std::string_view direction = stretch.ascending ? "ASC" : "DESC";
  const std::size_t limit_at = filter.value(static_cast<std::int64_t>(limit));
  const std::size_t offset_at = filter.value(static_cast<std::int64_t>(offset));
  const std::string sql =
      fmt::format("{} ORDER BY {}number {} LIMIT ?{} OFFSET ?{}", fmt::join(selects, " UNION ALL "),
                  stretch.with_figure ? fmt::format("figure {}, ", direction) : "", direction,
                  limit_at, offset_at);
  Query query = database.query(sql);
  filter.bind(query);
  std::vector<Key> keys;
  while (query.step()) {
    Key& key = keys.emplace_back();
    key.figure = query.read_optional_real();
    key.number = query.read_integer();
  }
  return keys;
}

std::int64_t count(Database& database, const std::vector<std::string>& status, const Filter& filter,
                   std::string_view more, std::int64_t most) {
  const std::string sql =
      fmt::format("SELECT count(*) FROM (SELECT 1 FROM runs WHERE status IN ({}){}{} LIMIT {})",
                  fmt::join(status, ", "), filter.conditions(), more, most);
  Query query = database.query(sql);
  filter.bind(query);
  return query.step() ? query.read_integer() : 0;
}

// The index by which the keys are found.
Stretch choose(Database& database, const RunQuery& query) {
  const Order& order = order_of(query.order);
  Stretch out{order, query.ascending, true, std::string(order.index), true};
  if (!query.suite.empty()) {
    out.index = fmt::format("suite_{}", order.index);
  } else if (!query.model.empty()) {
    Query few = database.query("SELECT count(*) FROM (SELECT 1 FROM runs WHERE model = ? LIMIT ?)");
    if (few.text(query.model).integer(kFewRuns + 1).step() && few.read_integer() <= kFewRuns) {
      out.index = "runs_model";
      out.by_status = false;
    }
  }
  return out;
}

// At most `limit` keys.
std::vector<Key> take_page(Database& database, const RunQuery& query,
                           const std::vector<std::string>& status, const Filter& filter,
                           const std::optional<Key>& after, std::size_t limit) {
  Stretch stretch = choose(database, query);
  std::vector<Key> keys;
  std::size_t offset = query.offset;
  if (!after || after->figure) {
    keys = take_keys(database, stretch, status, filter, after, limit, offset);
    if (stretch.order.everywhere || keys.size() == limit) return keys;
    if (!keys.empty()) offset = 0;
    if (offset > 0) {
      const auto passed_over = static_cast<std::size_t>(
          count(database, status, filter, fmt::format(" AND {} IS NOT NULL", stretch.order.column),
                static_cast<std::int64_t>(offset)));
      offset -= passed_over;
    }
  }
  stretch.with_figure = false;
  const auto from = after && !after->figure ? after : std::nullopt;
  const auto rest = take_keys(database, stretch, status, filter, from, limit - keys.size(), offset);
  keys.insert(keys.end(), rest.begin(), rest.end());
  return keys;
}

}  // namespace

base::Result<RunPage> SqliteStore::runs(const RunQuery& query) {
  RunPage page;
  const Order& order = order_of(query.order);
  std::optional<Key> after;
  if (!query.after.empty()) {
    after = read_cursor(query.after, order, query.ascending);
    if (!after)
      return base::fail(Code::bad_usage, {},
                        fmt::format("`{}` is not a place in this list of runs", query.after),
                        "give the one that the page before named, with the same order");
  }
  const auto status = statuses_of(query);
  if (status.empty()) return page;
  const Filter filter = filter_of(query);
  const std::size_t limit = std::min(query.limit, kMostListed);

  Transaction transaction(db_, Transaction::Kind::read);  // so that all of it is of one moment
  page.total = static_cast<std::size_t>(
      count(db_, status, filter, "", static_cast<std::int64_t>(kMostCounted)));
  auto keys = take_page(db_, query, status, filter, after, limit + 1);
  const bool more = keys.size() > limit;
  if (more) keys.resize(limit);
  if (more && limit > 0) page.next = to_cursor(order, query.ascending, keys.back());
  for (const Key& key : keys)
    if (auto run = read_run(key.number)) page.runs.push_back(std::move(*run));
  transaction.commit();
  return db_.result(std::move(page));
}

std::optional<std::int64_t> SqliteStore::newest_run() {
  const RunQuery query;
  const auto keys = take_page(db_, query, statuses_of(query), filter_of(query), std::nullopt, 1);
  return keys.empty() ? std::nullopt : std::optional(keys[0].number);
}

base::Result<std::vector<std::optional<double>>> SqliteStore::last_scores(std::string_view suite,
                                                                          std::size_t most) {
  RunQuery query;
  query.suite = suite;
  query.status_ne = {RunStatus::queued, RunStatus::running};
  Transaction transaction(db_, Transaction::Kind::read);
  const auto keys = take_page(db_, query, statuses_of(query), filter_of(query), std::nullopt,
                              std::min(most, kMostListed));
  std::vector<std::optional<double>> out;
  for (const auto& key : keys) {
    Query score = db_.query("SELECT score FROM runs WHERE number = ?");
    if (score.integer(key.number).step()) out.push_back(score.read_optional_real());
  }
  std::reverse(out.begin(), out.end());
  transaction.commit();
  return db_.result(std::move(out));
}

}  // namespace vibe::store
