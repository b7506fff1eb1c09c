// Scored executions, and decisions about versions of agents. Lists are read from an index by time,
// from where the page before ended, so that their cost does not grow with what is kept.
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "store/filter.h"
#include "store/json.h"
#include "store/sqlite_roles.h"

namespace vibe::store {

using base::Code;
using fitness::DecisionRecord;
using fitness::ScoredExecution;
using trace::Execution;

namespace {

// What is written of an execution, in the order in which it is bound and read.
constexpr std::string_view kExecutionColumns =
    "id, agent, version, session, scored_at, score, error, grade, meaning, signals, rubric, "
    "rubric_hash, task_type, complexity, file, format, log_agent, model, log_task_type, "
    "log_complexity, tool_calls, succeeded, failed, refused, unknown, unanswered, orphan_results, "
    "repeats, api_retries, corrections, other_errors, writes_files, started, ended, duration, "
    "active, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_in_input, "
    "cost, cost_is_stated, has_headers, has_lists, has_code_blocks, ended_in_error, bad_lines, "
    "notes";
constexpr std::size_t kExecutionValues = 49;

constexpr std::array kCounts{
    &Execution::tool_calls,     &Execution::succeeded,   &Execution::failed,
    &Execution::refused,        &Execution::unknown,     &Execution::unanswered,
    &Execution::orphan_results, &Execution::repeats,     &Execution::api_retries,
    &Execution::corrections,    &Execution::other_errors};

constexpr std::array kTokens{&trace::Tokens::input, &trace::Tokens::output,
                             &trace::Tokens::cache_read, &trace::Tokens::cache_write};

constexpr std::string_view kDecisionColumns =
    "id, made_at, accept, reason, old_score, new_score, delta, seed, draw, probability_better, "
    "within_noise, before, before_scores, before_executions, after, after_scores, "
    "after_executions, rubric, rubric_hash";

// `?, ?, ?`
std::string parameters(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += i == 0 ? "?" : ", ?";
  return out;
}

void bind_execution(Query& query, const ScoredExecution& scored, std::string_view id,
                    std::string_view signals, std::string_view notes) {
  const Execution& one = scored.execution;
  query.text(id).blob(scored.agent.agent).blob(scored.agent.version).blob(one.id);
  query.integer(scored.scored_at).real(scored.score).blob(scored.error);
  query.blob(scored.grade).blob(scored.meaning).text(signals);
  query.blob(scored.rubric).text(scored.rubric_hash);
  query.text(to_string(scored.task_type)).text(to_string(scored.complexity));
  query.blob(one.file).text(one.format).blob(one.agent).blob(one.model);
  query.blob(one.task_type).blob(one.complexity);
  for (const auto count : kCounts) query.integer(one.*count);
  query.integer(one.writes_files ? 1 : 0).integer(one.started).integer(one.ended);
  query.real(one.duration).real(one.active);
  for (const auto count : kTokens) one.tokens ? query.integer((*one.tokens).*count) : query.null();
  one.tokens ? query.integer(one.tokens->cache_in_input ? 1 : 0) : query.null();
  query.real(one.cost).integer(one.cost_is_stated ? 1 : 0);
  query.integer(one.structure.headers ? 1 : 0).integer(one.structure.lists ? 1 : 0);
  query.integer(one.structure.code_blocks ? 1 : 0).integer(one.ended_in_error);
  query.integer(static_cast<std::int64_t>(one.bad_lines)).text(notes);
}

bool read_row(Query& row, ScoredExecution& scored) {
  Execution& one = scored.execution;
  scored.id = row.read_text();
  scored.agent.agent = row.read_text();
  scored.agent.version = row.read_text();
  one.id = row.read_text();
  scored.scored_at = row.read_integer();
  scored.score = row.read_optional_real();
  scored.error = row.read_text();
  scored.grade = row.read_text();
  scored.meaning = row.read_text();
  const bool has_signals = read_json(row.read_view(), scored.signals);
  scored.rubric = row.read_text();
  scored.rubric_hash = row.read_text();
  const auto task_type = fitness::task_type(row.read_text());
  const auto complexity = fitness::complexity(row.read_text());
  one.file = row.read_text();
  one.format = row.read_text();
  one.agent = row.read_text();
  one.model = row.read_text();
  one.task_type = row.read_text();
  one.complexity = row.read_text();
  for (const auto count : kCounts) one.*count = row.read_integer();
  one.writes_files = row.read_integer() != 0;
  one.started = row.read_optional_integer();
  one.ended = row.read_optional_integer();
  one.duration = row.read_optional_real();
  one.active = row.read_optional_real();
  trace::Tokens tokens;
  bool has_tokens = false;
  for (const auto count : kTokens) {
    const auto value = row.read_optional_integer();
    has_tokens = has_tokens || value;
    tokens.*count = value.value_or(0);
  }
  tokens.cache_in_input = row.read_optional_integer().value_or(0) != 0;
  if (has_tokens) one.tokens = tokens;
  one.cost = row.read_optional_real();
  one.cost_is_stated = row.read_integer() != 0;
  one.structure.headers = row.read_integer() != 0;
  one.structure.lists = row.read_integer() != 0;
  one.structure.code_blocks = row.read_integer() != 0;
  if (const auto failed = row.read_optional_integer()) one.ended_in_error = *failed != 0;
  one.bad_lines = static_cast<std::uint64_t>(row.read_integer());
  const bool has_notes = read_json(row.read_view(), one.notes);
  if (!has_signals || !task_type || !complexity || !has_notes) return false;
  scored.task_type = *task_type;
  scored.complexity = *complexity;
  return true;
}

bool read_side(Query& row, fitness::DecisionSide& side) {
  side.what = row.read_text();
  const bool has_scores = read_json(row.read_view(), side.scores);
  return read_json(row.read_view(), side.executions) && has_scores;
}

bool read_row(Query& row, DecisionRecord& record) {
  fitness::Decision& made = record.decision;
  record.id = row.read_text();
  record.made_at = row.read_integer();
  made.accept = row.read_integer() != 0;
  const auto reason = fitness::reason(row.read_text());
  made.old_score = row.read_real();
  made.new_score = row.read_real();
  made.delta = row.read_real();
  made.seed = static_cast<std::uint64_t>(row.read_integer());
  made.draw = row.read_optional_real();
  made.probability_better = row.read_optional_real();
  made.within_noise = row.read_integer() != 0;
  const bool has_before = read_side(row, record.before);
  const bool has_after = read_side(row, record.after);
  record.rubric = row.read_text();
  record.rubric_hash = row.read_text();
  if (!reason || !has_before || !has_after) return false;
  made.reason = *reason;
  return true;
}

// What begins with `prefix`. The bytes after it are less than those of the prefix counted up by
// one.
void add_prefix(Filter& filter, std::string_view column, std::string_view prefix) {
  filter.add(fmt::format("{} >=", column), Bytes{std::string(prefix)});
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (end.empty()) return;
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  filter.add(fmt::format("{} <", column), Bytes{end});
}

// Several of one file, of the same session or of none, that began at the same time, have the same.
// In another file it is the same one, whose place it takes, as it would in a call of its own.
std::size_t place_key(const ScoredExecution& scored) {
  const Execution& one = scored.execution;
  std::size_t out = std::hash<std::optional<trace::Time>>{}(one.started);
  for (const std::string* text : {&scored.agent.agent, &scored.agent.version, &one.id, &one.file})
    out = out * 0x9E3779B97F4A7C15u + std::hash<std::string>{}(*text);
  return out;
}

// ---- pages

struct List {
  std::string_view table, columns;
  std::string_view time;   // the column it is ordered by; newest first
  std::string_view index;  // that begins with what is compared for equality, and goes on with time
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
        fmt::format("`{}` is not a place in this list of {}", query.after, list.table),
        "give the one that the page before named");

  Transaction transaction(database, Transaction::Kind::read);  // all of it is of one moment
  {
    const std::string sql =
        fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} INDEXED BY {} WHERE 1{} LIMIT {})",
                    list.table, list.index, filter.conditions(), kMostCounted);
    Query count = database.query(sql);
    filter.bind(count);
    if (count.step()) page.total = static_cast<std::size_t>(count.read_integer());
  }
  // What comes after a place: first those of the same time, of which there may be many.
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
                    list.columns, list.table, list.index, filter.conditions(), place));
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
                    fmt::format("the store `{}` holds damaged {}", database.path(), list.table));
  }
  transaction.commit();
  return database.result(std::move(page));
}

// ---- executions

std::optional<ScoredExecution> read_execution(SqliteSession& session, std::int64_t number) {
  static const std::string kSelect =
      fmt::format("SELECT {} FROM executions WHERE number = ?", kExecutionColumns);
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
  static const std::string kInsert =
      fmt::format("INSERT INTO executions ({}, time, place) VALUES ({})", kExecutionColumns,
                  parameters(kExecutionValues + 2));
  static const std::string kUpdate =
      fmt::format("UPDATE executions SET ({}, time, place) = ({}) WHERE number = ?",
                  kExecutionColumns, parameters(kExecutionValues + 2));
  const auto number = kept_execution(session.db(), scored, place);
  const auto kept = number ? read_execution(session, *number) : std::nullopt;
  if (kept) {
    ScoredExecution same = *kept;
    same.scored_at = scored.scored_at;
    same.id = scored.id;
    if (same == scored) return kept->id;
  }
  const std::string signals = to_json(scored.signals), notes = to_json(scored.execution.notes);
  Query query = session.db().query(kept ? kUpdate : kInsert);
  bind_execution(query, scored, kept ? kept->id : scored.id, signals, notes);
  query.integer(scored.time()).integer(place);
  if (kept) query.integer(*number);
  query.run();
  return kept ? kept->id : scored.id;
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
  List list{"executions", kExecutionColumns, "time", "executions_time"};
  if (query.agent) list.index = query.version ? "executions_version" : "executions_agent";
  if (!query.session.empty()) list.index = "executions_session";  // few of all
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
      fmt::format("INSERT INTO decisions ({}) VALUES ({})", kDecisionColumns, parameters(19));
  const fitness::Decision& made = record.decision;
  const std::string before_scores = to_json(record.before.scores),
                    before_executions = to_json(record.before.executions),
                    after_scores = to_json(record.after.scores),
                    after_executions = to_json(record.after.executions);
  {
    Query insert = db_.query(kInsert);  // a transaction of its own
    insert.text(record.id).integer(record.made_at).integer(made.accept ? 1 : 0);
    insert.text(to_string(made.reason)).real(made.old_score).real(made.new_score).real(made.delta);
    insert.integer(static_cast<std::int64_t>(made.seed)).real(made.draw);
    insert.real(made.probability_better).integer(made.within_noise ? 1 : 0);
    insert.blob(record.before.what).text(before_scores).text(before_executions);
    insert.blob(record.after.what).text(after_scores).text(after_executions);
    insert.blob(record.rubric).text(record.rubric_hash).run();
  }
  return db_.result();
}

base::Result<DecisionPage> SqliteExecutions::decisions(const DecisionQuery& query) {
  Filter filter;
  if (!query.agent.empty()) {
    const std::size_t name = filter.value(Bytes{query.agent}),
                      from = filter.value(Bytes{query.agent + "@"}),
                      to = filter.value(Bytes{query.agent + "A"});  // what comes after `@`
    filter.add_condition(fmt::format(
        "?{0} IN (before, after) OR (before >= ?{1} AND before < ?{2}) OR (after >= ?{1} AND "
        "after < ?{2})",
        name, from, to));
  }
  const List list{"decisions", kDecisionColumns, "made_at", "decisions_time"};
  return read_page<DecisionRecord>(db_, list, std::move(filter), query);
}

}  // namespace vibe::store
