// Results of runs, by sample and in the order in which they came.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "store/filter.h"
#include "store/json.h"
#include "store/sqlite_roles.h"

namespace vibe::store {

using score::RunStatus;

namespace {

// What is written of a result besides its place, in the order in which it is bound and read.
constexpr std::string_view kResultColumns =
    "status, repeat, latency, prompt_tokens, completion_tokens, thinking_tokens, cached_tokens, "
    "input_cost, output_cost, cost, tries, turn, from_cache, eval, eval_name, error, stop_reason, "
    "checks, tool_calls, prompt, response, thinking, judge_cost, turns, output_quality, "
    "structure_score, fitness, fitness_error, paid";

void bind_result(Query& query, const score::Result& result, std::string_view checks,
                 std::string_view tool_calls, std::string_view turns) {
  query.text(to_string(result.status)).integer(result.repeat).real(result.latency);
  query.integer(result.prompt_tokens).integer(result.completion_tokens);
  query.integer(result.thinking_tokens).integer(result.cached_tokens);
  query.real(result.input_cost).real(result.output_cost).real(result.cost);
  query.integer(result.tries).integer(result.turn).integer(result.from_cache ? 1 : 0);
  query.blob(result.eval).blob(result.eval_name).blob(result.error).blob(result.stop_reason);
  query.text(checks).text(tool_calls);
  query.blob(result.prompt).blob(result.response).blob(result.thinking);
  query.real(result.judge_cost).text(turns);
  query.real(result.output_quality).real(result.structure_score).real(result.fitness);
  query.blob(result.fitness_error).real(result.paid);
}

bool read_result_row(Query& row, score::Result& result) {
  result.sample = static_cast<std::uint32_t>(row.read_integer());  // the low half of the place
  const auto status = score::result_status(row.read_text());
  result.repeat = read_count(row);
  result.latency = row.read_optional_real();
  result.prompt_tokens = row.read_optional_integer();
  result.completion_tokens = row.read_optional_integer();
  result.thinking_tokens = row.read_optional_integer();
  result.cached_tokens = row.read_optional_integer();
  result.input_cost = row.read_optional_real();
  result.output_cost = row.read_optional_real();
  result.cost = row.read_optional_real();
  result.tries = read_count(row);
  result.turn = read_count(row);
  result.from_cache = row.read_integer() != 0;
  result.eval = row.read_text();
  result.eval_name = row.read_text();
  result.error = row.read_text();
  result.stop_reason = row.read_text();
  auto checks = read_findings(row.read_text());
  auto tool_calls = read_tool_calls(row.read_text());
  result.prompt = row.read_text();
  result.response = row.read_text();
  result.thinking = row.read_text();
  result.judge_cost = row.read_optional_real();
  auto turns = read_turns(row.read_text());
  result.output_quality = row.read_optional_real();
  result.structure_score = row.read_optional_real();
  result.fitness = row.read_optional_real();
  result.fitness_error = row.read_text();
  result.paid = row.read_real();
  if (!status || !checks || !tool_calls || !turns) return false;
  result.status = *status;
  result.checks = std::move(*checks);
  result.tool_calls = std::move(*tool_calls);
  result.turns = std::move(*turns);
  return true;
}

}  // namespace

base::Result<void> SqliteJournal::add(const Hold& hold, const score::Result& result) {
  static const std::string kInsert = fmt::format(
      "INSERT OR REPLACE INTO results (place, added_at, arrival, {}) VALUES (?, ?, "
      "(SELECT coalesce(max(arrival), 0) + 1 FROM results WHERE place >> 32 = ?), ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      kResultColumns);
  const std::string checks = to_json(result.checks), tool_calls = to_json(result.tool_calls),
                    turns = to_json(result.turns);
  const std::int64_t number = session_.run_number(hold.run);
  Transaction transaction(db_, Transaction::Kind::write);
  session_.check_hold(hold, number);
  count_result(number, result);
  {
    Query insert = db_.query(kInsert);
    insert.integer(place_of(number, result.sample)).integer(session_.now()).integer(number);
    bind_result(insert, result, checks, tool_calls, turns);
    insert.run();
  }
  transaction.commit();
  return db_.result();
}

// What lists tell of a run at work; one that is finished has its figures already. Before the result
// takes the place of an earlier one of its sample.
void SqliteJournal::count_result(std::int64_t number, const score::Result& result) {
  using score::ResultStatus;
  std::optional<ResultStatus> before;
  Query replaced = db_.query("SELECT status FROM results WHERE place = ?");
  if (replaced.integer(place_of(number, result.sample)).step())
    before = score::result_status(replaced.read_view());
  const auto more = [&](ResultStatus status) {
    return (result.status == status ? 1 : 0) - (before == status ? 1 : 0);
  };
  db_.query(
         "UPDATE runs SET results = results + ?, passed = passed + ?, errors = errors + ?, "
         "stamp = stamp + 1 WHERE number = ? AND status IN ('queued', 'running')")
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
      kResultColumns);
  const std::int64_t number = session_.run_number(run);
  Query query = db_.query(kSelect);
  query.integer(place_of(number, sample)).integer(place_of(number, UINT32_MAX));
  query.integer(static_cast<std::int64_t>(most));
  std::vector<score::Result> out;
  while (query.step())
    if (!read_result_row(query, out.emplace_back())) session_.fail_damaged("result");
  return db_.result(std::move(out));
}

base::Result<std::vector<Arrival>> SqliteFeed::arrivals(std::string_view run, std::int64_t after,
                                                        std::size_t most) {
  static const std::string kSelect = fmt::format(
      "SELECT arrival, place, {} FROM results WHERE place >> 32 = ? AND arrival > ? "
      "ORDER BY arrival LIMIT ?",
      kResultColumns);
  const std::int64_t number = session_.run_number(run);
  Query query = db_.query(kSelect);
  query.integer(number).integer(after).integer(
      static_cast<std::int64_t>(std::min(most, kMostListed)));
  std::vector<Arrival> out;
  while (query.step()) {
    Arrival& arrival = out.emplace_back();
    arrival.number = query.read_integer();
    if (!read_result_row(query, arrival.result)) session_.fail_damaged("result");
  }
  return db_.result(std::move(out));
}

// The status stands before the texts, so that those are not read.
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
