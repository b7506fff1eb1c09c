// Results of runs, by sample and in the order of arrival.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "store/filter.h"
#include "store/shape_row.h"
#include "store/sqlite_roles.h"

namespace vibe::store {

using score::RunStatus;

namespace {

const std::string& result_columns() {
  static const std::string columns = columns_of<score::Result>();
  return columns;
}

// Reads from the place column on. False: it is damaged.
bool read_result(Query& row, score::Result& result) {
  result.sample = static_cast<std::uint32_t>(row.read_integer());  // the low half of the place
  return read_row(row, result);
}

}  // namespace

base::Result<void> SqliteJournal::add(const Hold& hold, const score::Result& result) {
  static const std::string kInsert = fmt::format(
      "INSERT OR REPLACE INTO results (place, added_at, arrival, {}) VALUES (?, ?, "
      "(SELECT coalesce(max(arrival), 0) + 1 FROM results WHERE place >> 32 = ?), {})",
      result_columns(), parameters_of<score::Result>());
  const std::int64_t number = session_.run_number(hold.run);
  Transaction transaction(db_, Transaction::Kind::write);
  session_.check_hold(hold, number);
  count_result(number, result);
  {
    BoundTexts texts;
    Query insert = db_.query(kInsert);
    insert.integer(place_of(number, result.sample)).integer(session_.now()).integer(number);
    bind_row(insert, result, texts);
    insert.run();
  }
  transaction.commit();
  return db_.result();
}

// Updates what lists show of a running run; a finished run already has its figures. Called before
// the result replaces an earlier one of its sample.
void SqliteJournal::count_result(std::int64_t number, const score::Result& result) {
  using score::ResultStatus;
  std::optional<ResultStatus> before;
  Query replaced = db_.query("SELECT status FROM results WHERE place = ?");
  if (replaced.integer(place_of(number, result.sample)).step())
    before = score::result_status(replaced.read_view());
  const auto more = [&](ResultStatus status) {
    return (result.status == status ? 1 : 0) - (before == status ? 1 : 0);
  };
  db_.query(fmt::format(
                "UPDATE runs SET results = results + ?, passed = passed + ?, errors = errors + ?, "
                "stamp = stamp + 1 WHERE number = ? AND {}",
                unfinished()))
      .integer(before ? 0 : 1)
      .integer(more(ResultStatus::passed))
      .integer(more(ResultStatus::error))
      .integer(number)
      .run();
}

base::Result<std::vector<score::Result>> SqliteRuns::results(std::string_view run) {
  return SqliteFeed(session_).results_from(run, 0, std::numeric_limits<std::int64_t>::max());
}

base::Result<std::vector<score::Result>> SqliteFeed::results_from(std::string_view run,
                                                                  std::uint32_t sample,
                                                                  std::size_t most) {
  static const std::string kSelect = fmt::format(
      "SELECT place, {} FROM results WHERE place BETWEEN ? AND ? ORDER BY place LIMIT ?",
      result_columns());
  const std::int64_t number = session_.run_number(run);
  Query query = db_.query(kSelect);
  query.integer(place_of(number, sample)).integer(place_of(number, UINT32_MAX));
  query.integer(static_cast<std::int64_t>(most));
  std::vector<score::Result> out;
  while (query.step())
    if (!read_result(query, out.emplace_back())) session_.fail_damaged("result");
  return db_.result(std::move(out));
}

base::Result<std::vector<Arrival>> SqliteFeed::arrivals(std::string_view run, std::int64_t after,
                                                        std::size_t most) {
  static const std::string kSelect = fmt::format(
      "SELECT arrival, place, {} FROM results WHERE place >> 32 = ? AND arrival > ? "
      "ORDER BY arrival LIMIT ?",
      result_columns());
  const std::int64_t number = session_.run_number(run);
  Query query = db_.query(kSelect);
  query.integer(number).integer(after).integer(
      static_cast<std::int64_t>(std::min(most, kMostListed)));
  std::vector<Arrival> out;
  while (query.step()) {
    Arrival& arrival = out.emplace_back();
    arrival.number = query.read_integer();
    if (!read_result(query, arrival.result)) session_.fail_damaged("result");
  }
  return db_.result(std::move(out));
}

// The status is stored before the texts, so that they are not read.
base::Result<std::vector<Outcome>> SqliteFeed::outcomes(std::string_view run, std::int64_t until) {
  const std::int64_t number = session_.run_number(run);
  Query query = db_.query(
      "SELECT place, status FROM results WHERE place BETWEEN ? AND ? AND arrival <= ? "
      "ORDER BY place");
  query.integer(place_of(number, 0)).integer(place_of(number, UINT32_MAX)).integer(until);
  std::vector<Outcome> out;
  while (query.step()) {
    Outcome& outcome = out.emplace_back();
    outcome.sample = read_count(query);  // the low half of the place
    const auto status = score::result_status(query.read_text());
    if (!status) session_.fail_damaged("result");
    outcome.passed = status == score::ResultStatus::passed;
  }
  return db_.result(std::move(out));
}

base::Result<std::optional<RunProgress>> SqliteFeed::progress(std::string_view run) {
  Query query = db_.query(
      "SELECT status, (SELECT max(arrival) FROM results WHERE place >> 32 = runs.number), planned "
      "FROM runs WHERE id = ?");
  std::optional<RunProgress> out;
  if (query.text(run).step()) {
    const auto status = score::run_status(query.read_text());
    if (!status) session_.fail_damaged("run");
    out.emplace();
    out->status = status.value_or(RunStatus::failed);
    out->last_arrival = query.read_integer();
    out->planned = read_count(query);
  }
  return db_.result(out);
}

}  // namespace vibe::store
