// Scored executions, and decisions about agent versions. Lists are read from an index by time,
// starting where the previous page ended, so that their cost does not grow with the number of rows.
#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fitness/record_shape.h"
#include "store/filter.h"
#include "store/shape_row.h"
#include "store/sqlite_roles.h"

namespace vibe::store {

using base::Code;
using fitness::DecisionRecord;
using fitness::ScoredExecution;
using trace::Execution;

namespace {

// Selects values that begin with `prefix`: from the prefix up to, but not including, the prefix
// with its last byte increased by one.
void add_prefix(Filter& filter, std::string_view column, std::string_view prefix) {
  filter.add(fmt::format("{} >=", column), Bytes{std::string(prefix)});
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (end.empty()) return;
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  filter.add(fmt::format("{} <", column), Bytes{end});
}

// Executions of one file with the same session, or none, and the same start have the same key. In
// another file it is the same execution, which it replaces, as it would in another call.
std::size_t place_key(const ScoredExecution& scored) {
  const Execution& one = scored.execution;
  std::size_t out = std::hash<std::optional<trace::Time>>{}(one.started);
  for (const std::string* text : {&scored.agent.agent, &scored.agent.version, &one.id, &one.file})
    out = out * 0x9E3779B97F4A7C15u + std::hash<std::string>{}(*text);
  return out;
}

// ---- pages

struct List {
  std::string_view table;
  std::string_view time;   // the column it is ordered by; newest first
  std::string_view index;  // on the column compared for equality, then on the time
};

// Where a page ends.
struct Place {
  Millis time = 0;
  std::int64_t number = 0;
};

std::optional<Place> read_execution_cursor(std::string_view text) {
  Place place;
  const char* const end = text.data() + text.size();
  const auto time = std::from_chars(text.data(), end, place.time);
  if (time.ec != std::errc() || time.ptr == end || *time.ptr != '.') return std::nullopt;
  const auto number = std::from_chars(time.ptr + 1, end, place.number);
  if (number.ec != std::errc() || number.ptr != end) return std::nullopt;
  return place;
}

template <class Item, class ItemQuery>
base::Result<Page<Item>> read_page(Database& database, const List& list, Filter filter,
                                   const ItemQuery& query) {
  Page<Item> page;
  const std::size_t limit = std::min(query.limit, kMostListed);
  const auto after = query.after.empty() ? std::nullopt : read_execution_cursor(query.after);
  if (!query.after.empty() && !after)
    return base::fail(
        Code::bad_usage, {},
        fmt::format("`{}` is not a cursor for this list of {}", query.after, list.table),
        "use the cursor from the previous page");

  Transaction transaction(database, Transaction::Kind::read);  // read a single snapshot
  {
    const std::string sql =
        fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} INDEXED BY {} WHERE 1{} LIMIT {})",
                    list.table, list.index, filter.conditions(), kMostCounted);
    Query count = database.query(sql);
    filter.bind(count);
    if (count.step()) page.total = static_cast<std::size_t>(count.read_integer());
  }
  // The rows after a place: first those with the same time, which may be many.
  std::vector<std::string> places{""};
  if (after) {
    const std::size_t time = filter.value(after->time), number = filter.value(after->number);
    places = {fmt::format(" AND {} = ?{} AND number < ?{}", list.time, time, number),
              fmt::format(" AND {} < ?{}", list.time, time)};
  }
  std::vector<std::string> selects;
  for (const auto& place : places)
    selects.push_back(
        fmt::format("SELECT {} AS moment, number, {} FROM {} INDEXED BY {} WHERE 1{}{}", list.time,
                    columns_of<Item>(), list.table, list.index, filter.conditions(), place));
  const std::size_t limit_at = filter.value(static_cast<std::int64_t>(limit + 1));
  const std::size_t offset_at = filter.value(static_cast<std::int64_t>(query.offset));
  const std::string sql = fmt::format("{} ORDER BY moment DESC, number DESC LIMIT ?{} OFFSET ?{}",
                                      fmt::join(selects, " UNION ALL "), limit_at, offset_at);
  Query rows = database.query(sql);
  filter.bind(rows);
  Place last;
  while (rows.step()) {
    if (page.items.size() == limit) {
      if (limit > 0) page.next = fmt::format("{}.{}", last.time, last.number);
      break;
    }
    last.time = rows.read_integer();
    last.number = rows.read_integer();
    if (!read_row(rows, page.items.emplace_back()))
      database.fail(Code::store_damaged,
                    fmt::format("the store `{}` has damaged {}", database.path(), list.table));
  }
  transaction.commit();
  return database.result(std::move(page));
}

// ---- executions

std::optional<ScoredExecution> read_execution(SqliteSession& session, std::int64_t number) {
  static const std::string kSelect =
      fmt::format("SELECT {} FROM executions WHERE number = ?", columns_of<ScoredExecution>());
  Query query = session.db().query(kSelect);
  if (!query.integer(number).step()) return std::nullopt;
  ScoredExecution out;
  if (!read_row(query, out)) session.fail_damaged("execution");
  return out;
}

std::optional<std::int64_t> kept_execution(Database& database, const ScoredExecution& scored,
                                           std::int64_t place) {
  const auto& [id, file] = std::tie(scored.execution.id, scored.execution.file);
  if (id.empty() && file.empty()) return std::nullopt;
  Query query = database.query(
      id.empty() ? "SELECT number FROM executions WHERE file = ? AND agent = ? AND version = ? "
                   "AND started IS ? AND place = ? AND session = x''"
                 : "SELECT number FROM executions WHERE session = ? AND agent = ? AND version = ? "
                   "AND started IS ? AND place = ?");
  query.blob(id.empty() ? file : id).blob(scored.agent.agent).blob(scored.agent.version);
  if (!query.integer(scored.execution.started).integer(place).step()) return std::nullopt;
  return query.read_integer();
}

std::string keep(SqliteSession& session, const ScoredExecution& scored, std::int64_t place) {
  static const std::string kColumns = columns_of<ScoredExecution>() + ", time, place";
  static const std::string kValues = parameters_of<ScoredExecution>() + ", ?, ?";
  static const std::string kInsert =
      fmt::format("INSERT INTO executions ({}) VALUES ({})", kColumns, kValues);
  static const std::string kUpdate =
      fmt::format("UPDATE executions SET ({}) = ({}) WHERE number = ?", kColumns, kValues);
  const auto number = kept_execution(session.db(), scored, place);
  const auto kept = number ? read_execution(session, *number) : std::nullopt;
  ScoredExecution next = scored;
  if (kept) {
    next.id = kept->id;
    next.scored_at = kept->scored_at;
    if (next == *kept) return kept->id;
    next.scored_at = scored.scored_at;
  }
  BoundTexts texts;
  Query query = session.db().query(kept ? kUpdate : kInsert);
  bind_row(query, next, texts);
  query.integer(next.time()).integer(place);
  if (kept) query.integer(*number);
  query.run();
  return next.id;
}

}  // namespace

base::Result<std::vector<std::string>> SqliteJournal::keep_some(
    std::span<const ScoredExecution> executions, ExecutionPlaces& places) {
  std::vector<std::string> ids;
  ids.reserve(executions.size());
  Transaction transaction(db_, Transaction::Kind::write);
  for (const auto& scored : executions) {
    if (db_.failed()) break;
    ids.push_back(keep(session_, scored, places[place_key(scored)]++));
  }
  transaction.commit();
  return db_.result(std::move(ids));
}

base::Result<ExecutionPage> SqliteExecutions::list(const ExecutionQuery& query) {
  Filter filter;
  if (query.agent) filter.add("agent =", Bytes{*query.agent});
  if (query.version) filter.add("version =", Bytes{*query.version});
  if (!query.session.empty()) add_prefix(filter, "session", query.session);
  if (!query.grade.empty()) filter.add("grade =", Bytes{query.grade});
  if (!query.rubric.empty()) filter.add("rubric =", Bytes{query.rubric});
  filter.add("score", query.score);
  if (query.from) filter.add("time >=", *query.from);
  if (query.to) filter.add("time <=", *query.to);
  List list{"executions", "time", "executions_time"};
  if (query.agent) list.index = query.version ? "executions_version" : "executions_agent";
  if (!query.session.empty()) list.index = "executions_session";  // few rows match
  return read_page<ScoredExecution>(db_, list, std::move(filter), query);
}

base::Result<std::optional<ScoredExecution>> SqliteExecutions::find(std::string_view id) {
  Transaction transaction(db_, Transaction::Kind::read);
  std::optional<std::int64_t> number;
  if (id == "last") {
    Query newest =
        db_.query("SELECT number FROM executions ORDER BY time DESC, number DESC LIMIT 1");
    if (newest.step()) number = newest.read_integer();
  } else {
    number = session_.find("executions", id);
  }
  auto found = number ? read_execution(session_, *number) : std::nullopt;
  transaction.commit();
  return db_.result(std::move(found));
}

base::Result<std::vector<std::string>> SqliteExecutions::agents() {
  Query query = db_.query("SELECT DISTINCT agent FROM executions ORDER BY agent");
  std::vector<std::string> out;
  while (query.step()) out.push_back(query.read_text());
  return db_.result(std::move(out));
}

base::Result<std::vector<std::string>> SqliteExecutions::versions(std::string_view agent) {
  Query query = db_.query(
      "SELECT version FROM executions WHERE agent = ? GROUP BY version "
      "ORDER BY min(time), min(number)");
  query.blob(agent);
  std::vector<std::string> out;
  while (query.step()) out.push_back(query.read_text());
  return db_.result(std::move(out));
}

// ---- decisions

base::Result<void> SqliteJournal::add_decision(const DecisionRecord& record) {
  static const std::string kInsert =
      fmt::format("INSERT INTO decisions ({}) VALUES ({})", columns_of<DecisionRecord>(),
                  parameters_of<DecisionRecord>());
  {
    BoundTexts texts;
    Query insert = db_.query(kInsert);  // its own transaction
    bind_row(insert, record, texts);
    insert.run();
  }
  return db_.result();
}

base::Result<DecisionPage> SqliteExecutions::decisions(const DecisionQuery& query) {
  Filter filter;
  if (!query.agent.empty()) {
    const std::size_t name = filter.value(Bytes{query.agent}),
                      from = filter.value(Bytes{query.agent + "@"}),
                      to = filter.value(Bytes{query.agent + "A"});  // `A` follows `@` in ASCII
    filter.add_condition(fmt::format(
        "?{0} IN (before, after) OR (before >= ?{1} AND before < ?{2}) OR (after >= ?{1} AND "
        "after < ?{2})",
        name, from, to));
  }
  const List list{"decisions", "made_at", "decisions_time"};
  return read_page<DecisionRecord>(db_, list, std::move(filter), query);
}

}  // namespace vibe::store
