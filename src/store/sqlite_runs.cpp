// Runs: creating, reopening and ending them.
#include <fmt/format.h>

#include "store/json.h"
#include "store/sqlite_roles.h"

namespace vibe::store {

using base::Code;
using score::Run;

base::Result<HeldRun> SqliteJournal::begin(const Run& run) {
  Transaction transaction(db_, Transaction::Kind::write);
  const std::int64_t number = session_.insert_run(run);
  // Before others can see the run, and think nobody holds it.
  auto lock = session_.lock(number);
  if (!lock && !db_.failed())
    db_.fail(Code::run_held, fmt::format("another process holds run `{}`", run.id));
  transaction.commit();
  return db_.result(HeldRun{{run.id, 0}, std::move(lock)});
}

base::Result<HeldRun> SqliteJournal::take_up(std::string_view run) {
  const std::int64_t number = session_.run_number(run);
  Transaction transaction(db_, Transaction::Kind::write);
  auto lock = session_.lock(number);
  if (!lock && !db_.failed())
    session_.fail_held(fmt::format("another process is working on run `{}`", run));
  // After the lock: enqueue() holds it until others see that the run is queued again.
  if (db_.query("SELECT 1 FROM jobs WHERE run = ?").integer(number).step())
    session_.fail_held(fmt::format("run `{}` is in a server's queue", run));
  db_.query("UPDATE runs SET stop_requested = 0 WHERE number = ?").integer(number).run();
  transaction.commit();
  return db_.result(HeldRun{{std::string(run), 0}, std::move(lock)});
}

base::Result<void> SqliteJournal::write(const Hold& hold, const Run& run,
                                        const score::Measured& measured) {
  const std::int64_t number = session_.run_number(hold.run);
  Transaction transaction(db_, Transaction::Kind::write);
  session_.check_hold(hold, number);
  if (run.id != hold.run) session_.fail_lease(run.id);
  session_.overwrite_run(number, run);
  session_.store_measured(number, measured);
  if (score::is_finished(run.status))
    db_.query("DELETE FROM jobs WHERE run = ?").integer(number).run();
  transaction.commit();
  return db_.result();
}

base::Result<void> SqliteJournal::add_certainty(std::string_view run,
                                                const score::Certainty& certainty) {
  const std::int64_t number = session_.run_number(run);
  db_.query(fmt::format("UPDATE runs SET certainty = ?, stamp = stamp + 1 "
                        "WHERE number = ? AND certainty = '' AND NOT ({})",
                        unfinished()))
      .text(to_json(std::optional(certainty)))
      .integer(number)
      .run();
  return db_.result();
}

base::Result<std::string> SqliteRuns::figures(std::string_view run) {
  const std::int64_t number = session_.run_number(run);
  Query query = db_.query("SELECT figures FROM run_figures WHERE run = ?");
  std::string out = query.integer(number).step() ? query.read_text() : std::string();
  return db_.result(std::move(out));
}

base::Result<bool> SqliteRuns::request_stop(std::string_view run) {
  const std::int64_t number = session_.run_number(run);
  db_.query(fmt::format("UPDATE runs SET stop_requested = 1 WHERE number = ? AND {}", unfinished()))
      .integer(number)
      .run();
  return db_.result(!db_.failed() && db_.changes() > 0);
}

base::Result<bool> SqliteJournal::stop_requested(std::string_view run) {
  const std::int64_t number = session_.run_number(run);
  Query query = db_.query("SELECT stop_requested FROM runs WHERE number = ?");
  const bool requested = query.integer(number).step() && query.read_integer() != 0;
  return db_.result(requested);
}

// Adds up the figures from its results, because its process could not.
bool SqliteJournal::interrupt(std::int64_t number) {
  Transaction transaction(db_, Transaction::Kind::write);
  db_.query(fmt::format(R"sql(
      UPDATE runs SET
        status = 'failed', error = CAST('interrupted' AS BLOB),
        completed_at = coalesce(last, ?3),
        duration = coalesce(duration, 0) +
          max(0, coalesce(last, ?3) - coalesce(started_at, created_at)) / 1000.0,
        results = known.results, passed = known.passed, errors = known.errors,
        total_cost = known.cost, input_cost = known.input_cost, output_cost = known.output_cost,
        judge_cost = known.judge_cost, prompt_tokens = known.prompt_tokens, completion_tokens = known.completion_tokens,
        thinking_tokens = known.thinking_tokens
      FROM (
        SELECT count(*) AS results, max(added_at) AS last,
          coalesce(sum(status = 'passed'), 0) AS passed,
          coalesce(sum(status = 'error'), 0) AS errors,
          CASE WHEN count(cost) = count(*) THEN sum(cost) END AS cost,
          CASE WHEN count(input_cost) = count(*) THEN sum(input_cost) END AS input_cost,
          CASE WHEN count(output_cost) = count(*) THEN sum(output_cost) END AS output_cost,
          CASE WHEN count(judge_cost) = count(*) THEN total(judge_cost) END AS judge_cost,
          CASE WHEN count(prompt_tokens) >= sum(latency IS NOT NULL OR cost IS NOT 0) THEN sum(prompt_tokens) END AS prompt_tokens,
          CASE WHEN count(completion_tokens) >= sum(latency IS NOT NULL OR cost IS NOT 0) THEN sum(completion_tokens) END
            AS completion_tokens,
          CASE WHEN count(thinking_tokens) >= count(latency) THEN sum(thinking_tokens) END
            AS thinking_tokens
        FROM results WHERE place BETWEEN ?1 AND ?2) AS known
      WHERE number = ?4 AND {}
        AND NOT EXISTS (SELECT 1 FROM jobs WHERE run = ?4))sql",
                        unfinished()))
      .integer(place_of(number, 0))
      .integer(place_of(number, UINT32_MAX))
      .integer(session_.now())
      .integer(number)
      .run();
  const bool changed = !db_.failed() && db_.changes() > 0;
  if (changed)
    db_.query(
           "INSERT OR IGNORE INTO unmeasured_runs "
           "SELECT number FROM runs WHERE number = ? AND results > 0")
        .integer(number)
        .run();
  transaction.commit();
  return changed;
}

base::Result<std::vector<std::string>> SqliteJournal::unmeasured(std::size_t most) {
  Query query = db_.query(
      "SELECT id FROM unmeasured_runs JOIN runs ON number = run ORDER BY run DESC LIMIT ?");
  query.integer(static_cast<std::int64_t>(most));
  std::vector<std::string> out;
  while (query.step()) out.push_back(query.read_text());
  return db_.result(std::move(out));
}

base::Result<void> SqliteJournal::add_measured(std::string_view run,
                                               const score::Measured& measured) {
  const std::int64_t number = session_.run_number(run);
  Transaction transaction(db_, Transaction::Kind::write);
  db_.query("DELETE FROM unmeasured_runs WHERE run = ?").integer(number).run();
  if (!db_.failed() && db_.changes() > 0 && !measured.figures.empty())
    session_.store_measured(number, measured);
  transaction.commit();
  return db_.result();
}

base::Result<std::size_t> SqliteJournal::mark_interrupted() {
  std::vector<std::int64_t> open;
  {
    Query query = db_.query(fmt::format(
        "SELECT number FROM runs WHERE {} AND number NOT IN (SELECT run FROM jobs)", unfinished()));
    while (query.step()) open.push_back(query.read_integer());
  }
  std::size_t marked = 0;
  for (const std::int64_t number : open)
    if (const auto lock = session_.lock(number); lock && interrupt(number)) ++marked;
  return db_.result(marked);
}

}  // namespace vibe::store
