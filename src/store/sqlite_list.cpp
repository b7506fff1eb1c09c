// Lists of runs. First the keys of a page (the figure that orders it, and the run's number) are
// read from an index, merged from the runs of each status unless all runs are wanted by time; then
// the runs are identified from there, or else looked up, and read if wanted. The cost does not grow
// with the number of runs, unless a filter without an index refuses most of them.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "store/run_conditions.h"
#include "store/sqlite_roles.h"

namespace vibe::store {

using base::Code;

namespace {

struct Order {
  RunOrder order;
  char letter;  // in cursors
  std::string_view column, index;
  bool everywhere;  // every run has this figure
};
constexpr std::array kOrders{
    Order{RunOrder::created, 'c', "created_at", "runs_created", true},
    Order{RunOrder::success, 's', "success", "runs_success", false},
    Order{RunOrder::cost, 'd', "total_cost", "runs_cost", false},
    Order{RunOrder::time, 't', "duration", "runs_time", false},
    Order{RunOrder::score, 'n', "score", "runs_score", false},
    Order{RunOrder::price_performance, 'p', "price_performance", "runs_price_performance", false},
};

// Up to this many runs of a model are sorted, rather than found in the order's index.
constexpr std::int64_t kFewRuns = 2000;
constexpr std::size_t kUsualPage = 100;

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

// The part of a list with the figure, or the part without it.
struct Stretch {
  const Order& order;
  bool ascending, with_figure;
  std::string index;  // the index to use
  bool by_status;     // merged from one list per status
};

// The condition for the page's position, for each of the merged lists.
std::string position(const Stretch& stretch, const std::optional<Key>& after, Filter& filter) {
  const std::string_view column = stretch.order.column;
  const char beyond = stretch.ascending ? '>' : '<';
  if (!stretch.with_figure) {
    const std::string without = fmt::format(" AND {} IS NULL", column);
    return after ? fmt::format("{} AND number {} ?{}", without, beyond, filter.value(after->number))
                 : without;
  }
  if (after)
    return fmt::format(" AND ({}, number) {} (?{}, ?{})", column, beyond,
                       filter.value(*after->figure), filter.value(after->number));
  return stretch.order.everywhere ? "" : fmt::format(" AND {} IS NOT NULL", column);
}

struct Row {
  Key key;
  ListedRun run;
};
using Rows = std::vector<Row>;

void take_rows(Database& database, const Stretch& stretch, const Statuses& status, Filter filter,
               const std::optional<Key>& after, std::size_t limit, std::size_t offset, Rows& out) {
  const std::string where = position(stretch, after, filter);
  Statuses lists;
  if (stretch.by_status)
    for (const auto& each : status) lists.push_back(fmt::format("status = {}", each));
  else
    lists.push_back(condition(status));
  for (auto& list : lists)
    list = fmt::format("SELECT {} AS figure, number{} FROM runs INDEXED BY {} WHERE {}{}{}",
                       stretch.order.column, stretch.by_status ? "" : ", id, stamp", stretch.index,
                       list, where, filter.conditions());
  const std::string_view direction = stretch.ascending ? "ASC" : "DESC";
  const std::size_t limit_at = filter.value(static_cast<std::int64_t>(limit));
  const std::size_t offset_at = filter.value(static_cast<std::int64_t>(offset));
  std::string sql =
      fmt::format("{} ORDER BY {}number {} LIMIT ?{} OFFSET ?{}", fmt::join(lists, " UNION ALL "),
                  stretch.with_figure ? fmt::format("figure {}, ", direction) : "", direction,
                  limit_at, offset_at);
  // Lists are merged by their keys only, so that no run outside the page is looked up. A cross join
  // visits the keys in order.
  if (stretch.by_status)
    sql = fmt::format(
        "SELECT page.figure, page.number, id, stamp FROM ({}) AS page CROSS JOIN runs "
        "ON runs.number = page.number",
        sql);
  Query query = database.query(sql);
  filter.bind(query);
  while (query.step()) {
    Row& row = out.emplace_back();
    row.key.figure = query.read_optional_real();
    row.key.number = query.read_integer();
    row.run.id = query.read_view();
    row.run.stamp = query.read_integer();
  }
}

// The index for counting runs; each begins with the status, except that of models; empty: any.
std::string_view counting_index(const RunQuery& query) {
  const auto bounds = [](const auto& least, const auto& most) { return least || most; };
  if (!query.suite.empty()) return "";
  if (!query.model.empty() || !query.model_like.empty()) return "runs_model";
  if (bounds(query.score.least, query.score.most)) return "runs_score";
  if (bounds(query.cost.least, query.cost.most)) return "runs_cost";
  if (bounds(query.duration.least, query.duration.most)) return "runs_time";
  if (bounds(query.success.least, query.success.most)) return "runs_success";
  if (bounds(query.completed.from, query.completed.to)) return "runs_completed";
  return "";
}

// Counts up to `most`.
std::size_t count(Database& database, const RunQuery& query, const Statuses& status, Filter filter,
                  std::string_view more, std::size_t most) {
  const std::string_view index = counting_index(query);
  const std::size_t most_at = filter.value(static_cast<std::int64_t>(most));
  const bool by_model = index == "runs_model";
  const std::string sql = fmt::format(
      "SELECT count(*) FROM (SELECT 1 FROM runs{}{} WHERE {}{}{} LIMIT ?{})",
      index.empty() ? "" : " INDEXED BY ", index,
      by_model ? condition(status) : fmt::format("status IN ({})", fmt::join(status, ", ")),
      filter.conditions(), more, most_at);
  Query row = database.query(sql);
  filter.bind(row);
  return row.step() ? static_cast<std::size_t>(row.read_integer()) : 0;
}

std::size_t total(Database& database, const RunQuery& query, const Statuses& status,
                  const Filter& filter) {
  if (!filter.conditions().empty()) return count(database, query, status, filter, "", kMostCounted);
  Query row = database.query(
      fmt::format("SELECT coalesce(sum(runs), 0) FROM run_counts WHERE {}", condition(status)));
  return row.step() ? static_cast<std::size_t>(row.read_integer()) : 0;
}

// Chooses the index for finding the keys.
Stretch choose(Database& database, const RunQuery& query, const Statuses& status) {
  const Order& order = order_of(query.order);
  Stretch out{order, query.ascending, true, std::string(order.index), true};
  if (!query.suite.empty()) {
    out.index = fmt::format("suite_{}", order.index);
  } else if (!query.model.empty() && query.order == RunOrder::created && is_any(status)) {
    out.index = "runs_model";
    out.by_status = false;
  } else if (!query.model.empty()) {
    Query few = database.query("SELECT count(*) FROM (SELECT 1 FROM runs WHERE model = ? LIMIT ?)");
    if (few.text(query.model).integer(kFewRuns + 1).step() && few.read_integer() <= kFewRuns) {
      out.index = "runs_model";
      out.by_status = false;
    }
  }
  if (out.index == "runs_created" && is_any(status)) {
    out.index = "runs_newest";
    out.by_status = false;
  }
  return out;
}

// At most `limit` rows.
Rows take_page(Database& database, const RunQuery& query, const Statuses& status,
               const Filter& filter, const std::optional<Key>& after, std::size_t limit) {
  Stretch stretch = choose(database, query, status);
  Rows out;
  out.reserve(std::min(limit, kUsualPage));
  std::size_t offset = query.offset;
  if (!after || after->figure) {
    take_rows(database, stretch, status, filter, after, limit, offset, out);
    if (stretch.order.everywhere || out.size() == limit) return out;
    if (!out.empty()) offset = 0;
    if (offset > 0)
      offset -= count(database, query, status, filter,
                      fmt::format(" AND {} IS NOT NULL", stretch.order.column), offset);
  }
  stretch.with_figure = false;
  const auto from = after && !after->figure ? after : std::nullopt;
  take_rows(database, stretch, status, filter, from, limit - out.size(), offset, out);
  return out;
}

// Records failures in `database`.
Page<Row> take_page(Database& database, const RunQuery& query) {
  Page<Row> page;
  const Order& order = order_of(query.order);
  std::optional<Key> after;
  if (!query.after.empty()) {
    after = read_cursor(query.after, order, query.ascending);
    if (!after)
      database.fail(Code::bad_usage,
                    fmt::format("`{}` is not a cursor for this list of runs", query.after),
                    "use the cursor from the previous page, with the same order");
  }
  const auto status = statuses_of(query);
  if (status.empty()) return page;
  const Filter filter = filter_of(query);
  const std::size_t limit = std::min(query.limit, kMostListed);
  page.total = total(database, query, status, filter);
  page.items = take_page(database, query, status, filter, after, limit + 1);
  if (page.items.size() <= limit) return page;
  page.items.pop_back();
  if (limit > 0) page.next = to_cursor(order, query.ascending, page.items.back().key);
  return page;
}

// Adds the next run of a query, if there is one.
void add_next_run(Query& row, SqliteSession& session, std::vector<score::Run>& out) {
  if (row.step() && !read_run_row(row, out.emplace_back())) session.fail_damaged("run");
}

std::optional<std::int64_t> newest_run(Database& database) {
  const RunQuery query;
  const auto rows =
      take_page(database, query, statuses_of(query), filter_of(query), std::nullopt, 1);
  return rows.empty() ? std::nullopt : std::optional(rows[0].key.number);
}

}  // namespace

base::Result<std::optional<score::Run>> SqliteRuns::find(std::string_view id) {
  Transaction transaction(db_, Transaction::Kind::read);
  const auto number = id == "last" ? newest_run(db_) : session_.find("runs", id);
  auto run = number ? session_.read_run(*number) : std::nullopt;
  transaction.commit();
  return db_.result(std::move(run));
}

base::Result<RunPage> SqliteRuns::list(const RunQuery& query) {
  static const std::string kSelect =
      fmt::format("SELECT {} FROM runs WHERE number = ?", run_columns());
  Transaction transaction(db_, Transaction::Kind::read);  // so that all of it is one snapshot
  auto rows = take_page(db_, query);
  RunPage page{.runs = {}, .next = std::move(rows.next), .total = rows.total};
  page.runs.reserve(rows.items.size());
  for (const Row& row : rows.items)
    add_next_run(db_.query(kSelect).integer(row.key.number), session_, page.runs);
  transaction.commit();
  return db_.result(std::move(page));
}

base::Result<std::vector<std::optional<double>>> SqliteRuns::last_scores(std::string_view suite,
                                                                         std::string_view model,
                                                                         std::size_t most) {
  RunQuery query;
  query.suite = suite;
  query.model = model;
  query.status = {score::RunStatus::completed};
  const Filter filter = filter_of(query);
  Transaction transaction(db_, Transaction::Kind::read);
  const auto rows =
      take_page(db_, query, statuses_of(query), filter, std::nullopt, std::min(most, kMostListed));
  std::vector<std::optional<double>> out;
  for (const auto& row : rows) {
    Query score = db_.query("SELECT score FROM runs WHERE number = ?");
    if (score.integer(row.key.number).step()) out.push_back(score.read_optional_real());
  }
  std::reverse(out.begin(), out.end());
  transaction.commit();
  return db_.result(std::move(out));
}

base::Result<Page<ListedRun>> SqliteFeed::list(const RunQuery& query) {
  Transaction transaction(db_, Transaction::Kind::read);
  auto rows = take_page(db_, query);
  transaction.commit();
  Page<ListedRun> page{.items = {}, .next = std::move(rows.next), .total = rows.total};
  page.items.reserve(rows.items.size());
  for (Row& row : rows.items) page.items.push_back(std::move(row.run));
  return db_.result(std::move(page));
}

base::Result<std::vector<score::Run>> SqliteFeed::runs_of(std::span<const std::string> ids) {
  static const std::string kSelect = fmt::format("SELECT {} FROM runs WHERE id = ?", run_columns());
  std::vector<score::Run> out;
  out.reserve(ids.size());
  Transaction transaction(db_, Transaction::Kind::read);
  for (const std::string& id : ids) add_next_run(db_.query(kSelect).text(id), session_, out);
  transaction.commit();
  return db_.result(std::move(out));
}

}  // namespace vibe::store
