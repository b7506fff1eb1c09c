// Runs.
#include <array>

#include <fmt/format.h>

#include "base/time.h"
#include "store/json.h"
#include "store/locks.h"
#include "store/sqlite_store.h"

namespace vibe::store {

using base::Code;
using score::Run;

// What is written of a run, in the order in which it is bound and read.
const std::string_view kRunColumns =
    "id, suite, model, source, status, error, created_at, started_at, completed_at, planned, "
    "results, passed, errors, duration, total_cost, input_cost, output_cost, judge_cost, "
    "prompt_tokens, completion_tokens, thinking_tokens, score, min_score, version, suite_path, "
    "suite_hash, score_formula, score_error, score_metrics, metrics, parameters, system_prompt";
namespace {

constexpr std::size_t kLeastPrefix = 4, kMostCandidates = 5;
constexpr std::size_t kMostNumbers = 1'000;  // that are remembered

constexpr std::string_view kRunValues =
    "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
    "?";

void bind_run(Query& query, const Run& run, std::string_view score_metrics,
              std::string_view metrics) {
  query.text(run.id).text(run.suite_name).text(run.model).blob(run.source);
  query.text(to_string(run.status)).blob(run.error);
  query.integer(run.created_at).integer(run.started_at).integer(run.completed_at);
  query.integer(run.planned).integer(run.results).integer(run.passed).integer(run.errors);
  query.real(run.duration).real(run.total_cost).real(run.input_cost).real(run.output_cost);
  query.real(run.judge_cost).integer(run.prompt_tokens).integer(run.completion_tokens);
  query.integer(run.thinking_tokens).real(run.score).real(run.min_score).text(run.version);
  query.blob(run.suite_path).text(run.suite_hash).blob(run.score_formula).blob(run.score_error);
  query.text(score_metrics).text(metrics).blob(run.parameters).blob(run.system_prompt);
}

}  // namespace

bool read_run(Query& row, Run& run) {
  run.id = row.read_view();
  run.suite_name = row.read_view();
  run.model = row.read_view();
  run.source = row.read_view();
  const auto status = score::run_status(row.read_view());
  run.error = row.read_view();
  run.created_at = row.read_integer();
  run.started_at = row.read_optional_integer();
  run.completed_at = row.read_optional_integer();
  run.planned = read_count(row);
  run.results = read_count(row);
  run.passed = read_count(row);
  run.errors = read_count(row);
  run.duration = row.read_optional_real();
  run.total_cost = row.read_optional_real();
  run.input_cost = row.read_optional_real();
  run.output_cost = row.read_optional_real();
  run.judge_cost = row.read_optional_real();
  run.prompt_tokens = row.read_optional_integer();
  run.completion_tokens = row.read_optional_integer();
  run.thinking_tokens = row.read_optional_integer();
  run.score = row.read_optional_real();
  run.min_score = row.read_optional_real();
  run.version = row.read_view();
  run.suite_path = row.read_view();
  run.suite_hash = row.read_view();
  run.score_formula = row.read_view();
  run.score_error = row.read_view();
  auto score_metrics = read_named_values(row.read_view());
  auto metrics = read_named_values(row.read_view());
  run.parameters = row.read_view();
  run.system_prompt = row.read_view();
  if (!status || !score_metrics || !metrics) return false;
  run.status = *status;
  run.score_metrics = std::move(*score_metrics);
  run.metrics = std::move(*metrics);
  return true;
}

void SqliteStore::fail_damaged(std::string_view what) {
  db_.fail(Code::store_damaged, fmt::format("the store `{}` holds a damaged {}", db_.path(), what));
}

std::int64_t SqliteStore::number_of(std::string_view id) {
  const auto known = numbers_.find(std::string(id));
  if (known != numbers_.end()) return known->second;
  Query query = db_.query("SELECT number FROM runs WHERE id = ?");
  if (query.text(id).step()) {
    const std::int64_t number = query.read_integer();
    if (numbers_.size() >= kMostNumbers) numbers_.clear();
    numbers_.emplace(id, number);
    return number;
  }
  db_.fail(Code::not_found, fmt::format("there is no run `{}`", id),
           "`vibe get runs` lists the runs");
  return 0;
}

std::optional<std::int64_t> SqliteStore::find_run(std::string_view id) {
  return id == "last" ? newest_run() : find("runs", id);
}

std::optional<std::int64_t> SqliteStore::find(std::string_view table, std::string_view id) {
  Query exact = db_.query(fmt::format("SELECT number FROM {} WHERE id = ?", table));
  if (exact.text(id).step()) return exact.read_integer();
  if (id.size() < kLeastPrefix) return std::nullopt;

  const std::string end = std::string(id) + "\xff";
  Query query =
      db_.query(fmt::format("SELECT number, id FROM {} WHERE id > ? AND id < ? LIMIT ?", table));
  query.text(id).text(end).integer(kMostCandidates + 1);
  std::optional<std::int64_t> found;
  std::vector<std::string> candidates;
  while (query.step()) {
    found = query.read_integer();
    candidates.push_back(query.read_text());
  }
  if (candidates.size() <= 1) return found;
  std::string list;
  for (std::size_t i = 0; i < std::min(candidates.size(), kMostCandidates); ++i)
    list += fmt::format("{}`{}`", i == 0 ? "" : ", ", candidates[i]);
  if (candidates.size() > kMostCandidates) list += ", …";
  db_.fail(Code::bad_usage, fmt::format("several {} begin with `{}`: {}", table, id, list),
           "give more characters of the id");
  return std::nullopt;
}

std::unique_ptr<RunLock> SqliteStore::lock(std::int64_t byte) {
  if (db_.failed()) return nullptr;
  auto lock = try_lock(lock_path(folder_), byte);
  if (lock) return std::move(*lock);
  db_.fail(std::move(lock.error()));
  return nullptr;
}

void SqliteStore::keep_run_texts(std::int64_t number, const Run& run, std::string_view figures) {
  const std::int64_t text = text_number(run.suite_text);
  db_.query("INSERT OR REPLACE INTO run_texts VALUES (?, ?, ?, ?)")
      .integer(number)
      .integer(text)
      .blob(run.explanation)
      .blob(figures)
      .run();
}

std::int64_t SqliteStore::insert_run(const Run& run) {
  static const std::string kInsert =
      fmt::format("INSERT INTO runs ({}) VALUES ({})", kRunColumns, kRunValues);
  const std::string score_metrics = to_json(run.score_metrics), metrics = to_json(run.metrics);
  {
    Query insert = db_.query(kInsert);
    bind_run(insert, run, score_metrics, metrics);
    insert.run();
  }
  const std::int64_t number = db_.last_row();
  keep_run_texts(number, run, {});
  db_.query("UPDATE suites SET last_run_at = max(coalesce(last_run_at, ?1), ?1) WHERE name = ?2")
      .integer(run.created_at)
      .text(run.suite_name)
      .run();
  return number;
}

void SqliteStore::overwrite_run(std::int64_t number, const Run& run, std::string_view figures) {
  static const std::string kUpdate =
      fmt::format("UPDATE runs SET ({}) = ({}) WHERE number = ?", kRunColumns, kRunValues);
  const std::string score_metrics = to_json(run.score_metrics), metrics = to_json(run.metrics);
  {
    Query update = db_.query(kUpdate);
    bind_run(update, run, score_metrics, metrics);
    update.integer(number).run();
  }
  keep_run_texts(number, run, figures);
}

base::Result<std::unique_ptr<RunLock>> SqliteStore::add_run(const Run& run) {
  Transaction transaction(db_, Transaction::Kind::write);
  const std::int64_t number = insert_run(run);
  // Before others can see the run, and take it for one that nobody holds.
  auto held = lock(number);
  if (!held && !db_.failed())
    db_.fail(Code::run_held, fmt::format("another process holds run `{}`", run.id));
  transaction.commit();
  return db_.result(std::move(held));
}

base::Result<std::unique_ptr<RunLock>> SqliteStore::hold_run(std::string_view id) {
  const std::int64_t number = number_of(id);
  auto held = lock(number);
  if (!held && !db_.failed())
    db_.fail(Code::run_held, fmt::format("another process is at work on run `{}`", id),
             "wait until it is finished, or stop it by `vibe stop`");
  // After the lock: enqueue() has it as long as others do not see that the run is queued again.
  if (db_.query("SELECT 1 FROM jobs WHERE run = ?").integer(number).step())
    db_.fail(Code::run_held, fmt::format("run `{}` is in the queue of a server", id),
             "wait until it is finished, or stop it by `vibe stop`");
  db_.query("UPDATE runs SET stop_requested = 0 WHERE number = ?").integer(number).run();
  return db_.result(std::move(held));
}

base::Result<void> SqliteStore::update_run(const Run& run, std::string_view figures) {
  const std::int64_t number = number_of(run.id);
  Transaction transaction(db_, Transaction::Kind::write);
  check_claim(number, run.id);
  overwrite_run(number, run, figures);
  if (score::is_finished(run.status))
    db_.query("DELETE FROM jobs WHERE run = ?").integer(number).run();
  transaction.commit();
  if (!db_.failed() && score::is_finished(run.status)) claims_.erase(number);
  return db_.result();
}

std::optional<Run> SqliteStore::read_whole_run(std::int64_t number) {
  static const std::string kSelect =
      fmt::format("SELECT {} FROM runs WHERE number = ?", kRunColumns);
  Query row = db_.query(kSelect);
  if (!row.integer(number).step()) return std::nullopt;
  Run run;
  if (!read_run(row, run)) fail_damaged("run");
  Query texts = db_.query(
      "SELECT text, explanation FROM run_texts JOIN texts ON texts.number = suite_text "
      "WHERE run = ?");
  if (texts.integer(number).step()) {
    run.suite_text = texts.read_text();
    run.explanation = texts.read_text();
  }
  return run;
}

base::Result<std::optional<Run>> SqliteStore::run(std::string_view id) {
  Transaction transaction(db_, Transaction::Kind::read);
  const auto number = find_run(id);
  auto run = number ? read_whole_run(*number) : std::nullopt;
  transaction.commit();
  return db_.result(std::move(run));
}

base::Result<std::string> SqliteStore::figures(std::string_view run) {
  const std::int64_t number = number_of(run);
  Query query = db_.query("SELECT figures FROM run_texts WHERE run = ?");
  std::string out = query.integer(number).step() ? query.read_text() : std::string();
  return db_.result(std::move(out));
}

base::Result<bool> SqliteStore::request_stop(std::string_view run) {
  const std::int64_t number = number_of(run);
  db_.query(
         "UPDATE runs SET stop_requested = 1 WHERE number = ? AND status IN ('queued', 'running')")
      .integer(number)
      .run();
  return db_.result(!db_.failed() && db_.changes() > 0);
}

base::Result<bool> SqliteStore::stop_requested(std::string_view run) {
  const std::int64_t number = number_of(run);
  Query query = db_.query("SELECT stop_requested FROM runs WHERE number = ?");
  const bool requested = query.integer(number).step() && query.read_integer() != 0;
  return db_.result(requested);
}

// What is known of it is added up from its results, as its process could not.
bool SqliteStore::interrupt(std::int64_t number, Millis now) {
  Transaction transaction(db_, Transaction::Kind::write);
  db_.query(R"sql(
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
      WHERE number = ?4 AND runs.status IN ('queued', 'running')
        AND NOT EXISTS (SELECT 1 FROM jobs WHERE run = ?4))sql")
      .integer(place_of(number, 0))
      .integer(place_of(number, UINT32_MAX))
      .integer(now)
      .integer(number)
      .run();
  const bool changed = !db_.failed() && db_.changes() > 0;
  transaction.commit();
  return changed;
}

base::Result<std::size_t> SqliteStore::mark_interrupted(Millis now) {
  std::vector<std::int64_t> open;
  {
    Query query = db_.query(
        "SELECT number FROM runs WHERE status IN ('queued', 'running') "
        "AND number NOT IN (SELECT run FROM jobs)");
    while (query.step()) open.push_back(query.read_integer());
  }
  std::size_t marked = 0;
  for (const std::int64_t number : open)
    if (const auto held = lock(number); held && interrupt(number, now)) ++marked;
  return db_.result(marked);
}

}  // namespace vibe::store
