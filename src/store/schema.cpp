#include "store/schema.h"

#include <array>

#include <fmt/format.h>

#include "base/time.h"

namespace vibe::store {

using base::Code;

namespace {

constexpr std::int64_t kApplication = 0x76696265;  // `vibe`, in the header of the file

// Texts from outside are blobs: they are stored byte by byte, even if they are not UTF-8. Names
// that are searched for are texts. JSON is text.
constexpr const char* kFirstTables = R"sql(
-- every version of a suite's text once
CREATE TABLE texts (
  number INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  text BLOB NOT NULL
) STRICT;

CREATE TABLE suites (
  name TEXT PRIMARY KEY,
  last_run_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE suite_versions (
  suite TEXT NOT NULL REFERENCES suites,
  version INTEGER NOT NULL,
  text INTEGER NOT NULL REFERENCES texts,
  path BLOB NOT NULL,
  evals INTEGER NOT NULL,
  edited_at INTEGER NOT NULL,
  PRIMARY KEY (suite, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  suite TEXT NOT NULL,
  model TEXT NOT NULL,
  source BLOB NOT NULL,
  status TEXT NOT NULL,
  stop_requested INTEGER NOT NULL DEFAULT 0,
  error BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER,
  planned INTEGER NOT NULL,
  results INTEGER NOT NULL,
  passed INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  duration REAL,
  total_cost REAL,
  input_cost REAL,
  output_cost REAL,
  judge_cost REAL,
  prompt_tokens INTEGER,
  completion_tokens INTEGER,
  thinking_tokens INTEGER,
  score REAL,
  min_score REAL,
  success REAL AS (CASE WHEN results > 0 THEN 100.0 * passed / results END) STORED,
  price_performance REAL AS (CASE WHEN results > 0 THEN
      100.0 * passed / results / (total_cost * 1000.0 + duration * 0.1) END) STORED,
  version TEXT NOT NULL,
  suite_path BLOB NOT NULL,
  suite_hash TEXT NOT NULL,
  score_formula BLOB NOT NULL,
  score_error BLOB NOT NULL,
  score_metrics TEXT NOT NULL,
  metrics TEXT NOT NULL,
  parameters BLOB NOT NULL,
  system_prompt BLOB NOT NULL
) STRICT;

-- columns that lists of runs do not need
CREATE TABLE run_texts (
  run INTEGER PRIMARY KEY REFERENCES runs,
  suite_text INTEGER NOT NULL REFERENCES texts,
  explanation BLOB NOT NULL,
  figures BLOB NOT NULL
) STRICT;

-- Lists are merged from the runs of each status, so that these serve every order with and
-- without a filter by suite and status.
CREATE INDEX runs_created ON runs (status, created_at);
CREATE INDEX runs_success ON runs (status, success);
CREATE INDEX runs_cost ON runs (status, total_cost);
CREATE INDEX runs_time ON runs (status, duration);
CREATE INDEX runs_score ON runs (status, score);
CREATE INDEX runs_price_performance ON runs (status, price_performance);
CREATE INDEX suite_runs_created ON runs (suite, status, created_at);
CREATE INDEX suite_runs_success ON runs (suite, status, success);
CREATE INDEX suite_runs_cost ON runs (suite, status, total_cost);
CREATE INDEX suite_runs_time ON runs (suite, status, duration);
CREATE INDEX suite_runs_score ON runs (suite, status, score);
CREATE INDEX suite_runs_price_performance ON runs (suite, status, price_performance);
CREATE INDEX runs_model ON runs (model, created_at);

CREATE TABLE results (
  place INTEGER PRIMARY KEY,  -- the run's number * 2^32 + the sample
  added_at INTEGER NOT NULL,
  status TEXT NOT NULL,
  repeat INTEGER NOT NULL,
  latency REAL,
  prompt_tokens INTEGER,
  completion_tokens INTEGER,
  thinking_tokens INTEGER,
  cached_tokens INTEGER,
  input_cost REAL,
  output_cost REAL,
  cost REAL,
  tries INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  from_cache INTEGER NOT NULL,
  eval BLOB NOT NULL,
  eval_name BLOB NOT NULL,
  error BLOB NOT NULL,
  stop_reason BLOB NOT NULL,
  checks TEXT NOT NULL,
  tool_calls TEXT NOT NULL,
  prompt BLOB NOT NULL,
  response BLOB NOT NULL,
  thinking BLOB NOT NULL
) STRICT;

CREATE TABLE variables (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE secrets (name TEXT PRIMARY KEY, sealed BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE answers (key TEXT NOT NULL UNIQUE, answer BLOB NOT NULL) STRICT;
)sql";

constexpr const char* kConversations = R"sql(
ALTER TABLE results ADD COLUMN judge_cost REAL;
ALTER TABLE results ADD COLUMN turns TEXT NOT NULL DEFAULT '';
UPDATE results SET judge_cost = 0;
CREATE TABLE embeddings (
  key TEXT NOT NULL UNIQUE,
  vector BLOB NOT NULL,  -- floats of 32 bits, little-endian
  tokens INTEGER,
  cost REAL
) STRICT;
)sql";

constexpr const char* kFitness = R"sql(
CREATE TABLE executions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  agent BLOB NOT NULL,
  version BLOB NOT NULL,
  session BLOB NOT NULL,
  place INTEGER NOT NULL,  -- among those with the same session (or file, if none) and start
  time INTEGER NOT NULL,   -- its end, or else the time of scoring
  scored_at INTEGER NOT NULL,
  score REAL,
  error BLOB NOT NULL,
  grade BLOB NOT NULL,
  meaning BLOB NOT NULL,
  signals TEXT NOT NULL,
  rubric BLOB NOT NULL,
  rubric_hash TEXT NOT NULL,
  task_type TEXT NOT NULL,
  complexity TEXT NOT NULL,
  -- what was read from the log
  file BLOB NOT NULL,
  format TEXT NOT NULL,
  log_agent BLOB NOT NULL,
  model BLOB NOT NULL,
  log_task_type BLOB NOT NULL,
  log_complexity BLOB NOT NULL,
  tool_calls INTEGER NOT NULL,
  succeeded INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  unknown INTEGER NOT NULL,
  unanswered INTEGER NOT NULL,
  orphan_results INTEGER NOT NULL,
  repeats INTEGER NOT NULL,
  api_retries INTEGER NOT NULL,
  corrections INTEGER NOT NULL,
  other_errors INTEGER NOT NULL,
  writes_files INTEGER NOT NULL,
  started INTEGER,
  ended INTEGER,
  duration REAL,
  active REAL,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cache_read_tokens INTEGER,
  cache_write_tokens INTEGER,
  cache_in_input INTEGER,
  cost REAL,
  cost_is_stated INTEGER NOT NULL,
  has_headers INTEGER NOT NULL,
  has_lists INTEGER NOT NULL,
  has_code_blocks INTEGER NOT NULL,
  ended_in_error INTEGER,
  bad_lines INTEGER NOT NULL,
  notes TEXT NOT NULL
) STRICT;

-- each order of a list, and the lookup of an execution that is scored again
CREATE INDEX executions_time ON executions (time);
CREATE INDEX executions_agent ON executions (agent, time);
CREATE INDEX executions_version ON executions (agent, version, time);
CREATE INDEX executions_session ON executions (session, agent, version, place);
CREATE INDEX executions_file ON executions (file, agent, version, place) WHERE session = x'';

CREATE TABLE decisions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  made_at INTEGER NOT NULL,
  accept INTEGER NOT NULL,
  reason TEXT NOT NULL,
  old_score REAL NOT NULL,
  new_score REAL NOT NULL,
  delta REAL NOT NULL,
  seed INTEGER NOT NULL,  -- 64 bits, unsigned
  draw REAL,
  probability_better REAL,
  within_noise INTEGER NOT NULL,
  before BLOB NOT NULL,
  before_scores TEXT NOT NULL,
  before_executions TEXT NOT NULL,
  after BLOB NOT NULL,
  after_scores TEXT NOT NULL,
  after_executions TEXT NOT NULL,
  rubric BLOB NOT NULL,
  rubric_hash TEXT NOT NULL
) STRICT;
CREATE INDEX decisions_time ON decisions (made_at);
)sql";

constexpr const char* kFitnessColumns = R"sql(
ALTER TABLE results ADD COLUMN output_quality REAL;
ALTER TABLE results ADD COLUMN structure_score REAL;
ALTER TABLE results ADD COLUMN fitness REAL;
ALTER TABLE results ADD COLUMN fitness_error BLOB NOT NULL DEFAULT x'';
)sql";

constexpr const char* kServer = R"sql(
-- from 1 for each run, in the order of arrival
ALTER TABLE results ADD COLUMN arrival INTEGER NOT NULL DEFAULT 0;
UPDATE results SET arrival = known.arrival FROM (
  SELECT place AS at,
    row_number() OVER (PARTITION BY place >> 32 ORDER BY added_at, place) AS arrival
  FROM results) AS known
WHERE place = known.at;
CREATE INDEX results_arrival ON results (place >> 32, arrival);

-- runs that wait for a worker, or have one
CREATE TABLE jobs (
  turn INTEGER PRIMARY KEY,  -- smaller if queued earlier
  run INTEGER NOT NULL UNIQUE REFERENCES runs,
  claim INTEGER NOT NULL DEFAULT 0,  -- random for each claim, and the byte it locks; 0: none
  worker TEXT NOT NULL DEFAULT '',
  lease_until INTEGER NOT NULL DEFAULT 0,
  claims INTEGER NOT NULL DEFAULT 0,  -- since the last result
  arrival INTEGER NOT NULL DEFAULT 0,  -- the run's last arrival when it was claimed
  sealed BLOB NOT NULL
) STRICT;

-- rises with each change of a run: lists use it to see which runs have changed
ALTER TABLE runs ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER run_stamped AFTER UPDATE ON runs WHEN new.stamp = old.stamp BEGIN
  UPDATE runs SET stamp = stamp + 1 WHERE number = new.number;
END;

-- covers lists of runs of every status, and counting the runs completed in a period
CREATE INDEX runs_newest ON runs (created_at, number, id, stamp);
CREATE INDEX runs_completed ON runs (status, completed_at);

-- the number of runs with each status, so that no query has to count them
CREATE TABLE run_counts (status TEXT PRIMARY KEY, runs INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO run_counts SELECT status, count(*) FROM runs GROUP BY status;
CREATE TRIGGER run_added AFTER INSERT ON runs BEGIN
  INSERT INTO run_counts VALUES (new.status, 1) ON CONFLICT (status) DO UPDATE SET runs = runs + 1;
END;
CREATE TRIGGER run_changed AFTER UPDATE OF status ON runs WHEN new.status <> old.status BEGIN
  INSERT INTO run_counts VALUES (new.status, 1) ON CONFLICT (status) DO UPDATE SET runs = runs + 1;
  UPDATE run_counts SET runs = runs - 1 WHERE status = old.status;
END;
CREATE TRIGGER run_removed AFTER DELETE ON runs BEGIN
  UPDATE run_counts SET runs = runs - 1 WHERE status = old.status;
END;
)sql";

constexpr const char* kPaid = R"sql(
ALTER TABLE results ADD COLUMN paid REAL NOT NULL DEFAULT 0;
UPDATE results SET paid = coalesce(cost, 0) + coalesce(judge_cost, 0) WHERE NOT from_cache;
)sql";

// It was hidden in the parameters of the run.
constexpr const char* kQueuedAfter = R"sql(
ALTER TABLE jobs ADD COLUMN queued_after INTEGER NOT NULL DEFAULT 0;  -- the run's last arrival then
UPDATE jobs SET queued_after = coalesce((
  SELECT CASE WHEN json_valid(CAST(parameters AS TEXT))
    THEN CAST(json_extract(CAST(parameters AS TEXT), '$.queued_after') AS INTEGER) END
  FROM runs WHERE number = jobs.run), 0);
)sql";

// What was measured of finished runs, so that history can be scored again quickly.
constexpr const char* kMeasured = R"sql(
CREATE TABLE run_figures (run INTEGER PRIMARY KEY REFERENCES runs, figures BLOB NOT NULL) STRICT;
CREATE TABLE input_layouts (
  number INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  layout BLOB NOT NULL  -- score/measured.h
) STRICT;
-- has score and gate of the run as well, so that scoring all runs again reads one table
CREATE TABLE run_inputs (
  run INTEGER PRIMARY KEY REFERENCES runs,
  layout INTEGER NOT NULL REFERENCES input_layouts,
  score REAL,
  min_score REAL,
  inputs BLOB NOT NULL  -- doubles, little-endian
) STRICT;
-- finished runs with results that are in neither table; they are measured after the upgrade
CREATE TABLE unmeasured_runs (run INTEGER PRIMARY KEY REFERENCES runs) STRICT;
INSERT INTO unmeasured_runs SELECT number FROM runs
  WHERE status NOT IN ('queued', 'running') AND results > 0;
INSERT INTO run_figures SELECT run, figures FROM run_texts WHERE figures <> x'';
ALTER TABLE run_texts DROP COLUMN figures;
)sql";

// Scores by other formulas, beside those of the runs; and an index of the runs of a part of a
// suite, which have no rank (its condition is kIsPart in sqlite_rescoring.cpp).
constexpr const char* kKeptScores = R"sql(
CREATE TABLE kept_formulas (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  formula BLOB NOT NULL,
  definition BLOB NOT NULL,  -- with its metrics; scores of one name have the same definition
  kept_at INTEGER NOT NULL
) STRICT;
CREATE TABLE kept_scores (
  run INTEGER NOT NULL REFERENCES runs,
  formula INTEGER NOT NULL REFERENCES kept_formulas,
  score REAL,
  error BLOB NOT NULL,
  PRIMARY KEY (run, formula)
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_in_part ON runs (number) WHERE CASE
  WHEN json_valid(CAST(parameters AS TEXT))
  THEN json_array_length(CAST(parameters AS TEXT), '$.only') > 0 END;
)sql";

constexpr std::array kMigrations{
    Migration{1, "suites, runs, results, variables, secrets, answers", kFirstTables},
    Migration{2, "turns, costs of judges, embeddings", kConversations},
    Migration{3, "executions, decisions", kFitness},
    Migration{4, "quality and fitness of results", kFitnessColumns},
    Migration{5, "order of arrival, queue of a server, counts and stamps of runs", kServer},
    Migration{6, "what was paid for results", kPaid},
    Migration{7, "the last arrival of queued runs", kQueuedAfter},
    Migration{8, "repeated requests",
              "ALTER TABLE results ADD COLUMN retries INTEGER NOT NULL DEFAULT 0;"},
    Migration{9, "tags of runs", "ALTER TABLE runs ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';"},
    Migration{10, "what was measured of runs", kMeasured},
    Migration{11, "how sure scores are",
              "ALTER TABLE runs ADD COLUMN certainty TEXT NOT NULL DEFAULT '';"},
    Migration{12, "scores by other formulas, runs of a part of a suite", kKeptScores},
};

constexpr const char* kVersions = R"sql(
CREATE TABLE IF NOT EXISTS schema_versions (
  number INTEGER PRIMARY KEY,
  what TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;
)sql";

std::int64_t one_integer(Database& database, std::string_view sql) {
  Query query = database.query(sql);
  return query.step() ? query.read_integer() : 0;
}

void apply(Database& database, const Migration& migration) {
  database.execute(migration.sql);
  database.query("INSERT INTO schema_versions VALUES (?, ?, ?)")
      .integer(migration.number)
      .text(migration.what)
      .integer(base::now_millis())
      .run();
}

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

std::int64_t version_of(Database& database, std::span<const Migration> known) {
  // In this order: another process may create the store between the two queries.
  const std::int64_t tables = one_integer(database, "SELECT count(*) FROM sqlite_schema");
  const std::int64_t application = one_integer(database, "PRAGMA application_id");
  if (database.failed()) return 0;
  if (application == 0 && tables == 0) return 0;
  if (application != kApplication) {
    database.fail(
        Code::store_damaged,
        fmt::format("cannot use the store `{}`: it belongs to another program", database.path()),
        "move it away, or set `VIBECHECK_HOME` to another folder");
    return 0;
  }
  const std::int64_t version = one_integer(database, "SELECT max(number) FROM schema_versions");
  const std::int64_t newest = known.back().number;
  if (version > newest)
    database.fail(
        Code::store_newer,
        fmt::format("the store `{}` has version {}; this program supports versions up to {}",
                    database.path(), version, newest),
        "upgrade vibe, or set `VIBECHECK_HOME` to another folder");
  return version;
}

void migrate(Database& database, std::span<const Migration> known) {
  if (version_of(database, known) == known.back().number || database.failed()) return;
  Transaction transaction(database, Transaction::Kind::write);
  const std::int64_t version = version_of(database, known);  // another process may be faster
  database.execute(kVersions);
  database.execute(fmt::format("PRAGMA application_id = {}", kApplication).c_str());
  for (const Migration& migration : known)
    if (migration.number > version && !database.failed()) apply(database, migration);
  transaction.commit();
}

}  // namespace vibe::store
