// Stores in SQLite of other versions: newer ones, and older ones that are brought up to date.
#include <array>

#include <gtest/gtest.h>

#include "store/conformance.h"
#include "store/folder.h"
#include "store/limited_writes.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/sqlite.h"

namespace vibe::test {

using base::Code;
using store::Access;
using store::Migration;
using store::open_sqlite;

namespace {

TEST(SqliteStore, ANewerStoreIsLeftAlone) {
  const Folder folder;
  ASSERT_TRUE(folder.open()->journal().begin(full_run("a-run")));
  execute(folder.database(), "INSERT INTO schema_versions VALUES (1000, 'future', 0)");
  const std::string before = read_bytes(folder.database());
  for (const Access access : {Access::read_write, Access::read_only}) {
    const auto store = open_sqlite(folder.home(), access);
    ASSERT_FALSE(store);
    EXPECT_TRUE(has_code(store.error(), Code::store_newer));
    EXPECT_NE(text_of(store.error()).find("1000"), std::string::npos);
  }
  EXPECT_TRUE(read_bytes(folder.database()) == before);
}

constexpr std::array kOld{Migration{1, "things", "CREATE TABLE things (name TEXT) STRICT"}};
constexpr std::array kNew{
    kOld[0],
    Migration{2, "sizes", "ALTER TABLE things ADD COLUMN size INTEGER; UPDATE things SET size = 7"},
    Migration{3, "colours", "CREATE TABLE colours (name TEXT) STRICT"}};
constexpr std::array kBroken{kOld[0], Migration{2, "sizes", kNew[1].sql},
                             Migration{3, "broken", "CREATE TABLE more (x TEXT); nonsense"}};

TEST(SqliteMigrations, BringAnOldStoreUpToDate) {
  const Folder folder;
  write_bytes(folder.file("note"), "");
  {
    store::Database database(folder.database(), store::Database::Mode::create);
    migrate(database, kOld);
    database.execute("INSERT INTO things VALUES ('old')");
    EXPECT_EQ(version_of(database, kOld), 1);
    ASSERT_TRUE(database.result());
  }
  store::Database database(folder.database(), store::Database::Mode::create);
  EXPECT_EQ(version_of(database, kNew), 1);
  migrate(database, kNew);
  migrate(database, kNew);  // and once more, which does nothing
  EXPECT_EQ(version_of(database, kNew), 3);
  ASSERT_TRUE(database.result());
  EXPECT_EQ(first_column(folder.database(), "SELECT name || size FROM things"),
            (std::vector<std::string>{"old7"}));
  EXPECT_EQ(first_column(folder.database(), "SELECT what FROM schema_versions ORDER BY number"),
            (std::vector<std::string>{"things", "sizes", "colours"}));
  version_of(database, kOld);
  EXPECT_TRUE(has_code(database.result().error(), Code::store_newer));
}

TEST(SqliteMigrations, OneThatFailsChangesNothing) {
  const Folder folder;
  write_bytes(folder.file("note"), "");
  store::Database database(folder.database(), store::Database::Mode::create);
  migrate(database, kOld);
  migrate(database, kBroken);
  EXPECT_FALSE(database.result());
  EXPECT_EQ(version_of(database, kBroken), 1);  // nor are those before it done
  EXPECT_EQ(first_column(folder.database(), "SELECT name FROM sqlite_schema WHERE name = 'more'"),
            std::vector<std::string>{});
  EXPECT_EQ(first_column(folder.database(), "SELECT count(*) FROM pragma_table_info('things')"),
            std::vector<std::string>{"1"});
}

TEST(SqliteMigrations, OneThatIsKilledChangesNothing) {
  constexpr std::size_t kOlder = 2;
  const auto all = store::migrations();
  bool killed = true;
  for (int writes = 0; killed; ++writes) {
    ASSERT_LT(writes, 500);
    const Folder folder;
    write_bytes(folder.file("note"), "");
    {
      store::Database database(folder.database(), store::Database::Mode::create);
      migrate(database, all.first(kOlder));
      ASSERT_TRUE(database.result());
    }
    killed = is_killed([&] {
      const DeadlyWrites limit(writes);
      EXPECT_TRUE(open_sqlite(folder.home()));
    });
    {
      store::Database database(folder.database(), store::Database::Mode::create);
      const auto version = version_of(database, all);
      EXPECT_TRUE(version == kOlder || version == all.back().number) << version;
    }
    EXPECT_TRUE(folder.open()->journal().begin(full_run("a-run")));
  }
}

TEST(SqliteMigrations, AreNumberedWithoutGaps) {
  std::int64_t number = 0;
  for (const Migration& migration : store::migrations()) EXPECT_EQ(migration.number, ++number);
}

// A store of the program before, with what it kept.
TEST(SqliteMigrations, AStoreOfVersionTwoKeepsItsRuns) {
  const Folder folder;
  ASSERT_TRUE(folder.open()->journal().begin(full_run("a-run")));
  ASSERT_TRUE(folder.open()->journal().add({"a-run"}, full_result(3)));
  execute(folder.database(),
          "DROP TABLE kept_scores; DROP TABLE kept_formulas; DROP INDEX runs_in_part; "
          "DROP TABLE executions; DROP TABLE decisions; DROP TABLE jobs; DROP TABLE run_counts; "
          "DROP TRIGGER run_added; DROP TRIGGER run_changed; DROP TRIGGER run_removed; "
          "DROP INDEX runs_newest; DROP INDEX runs_completed; DROP INDEX results_arrival; "
          "DROP TRIGGER run_stamped; ALTER TABLE runs DROP COLUMN stamp; "
          "ALTER TABLE results DROP COLUMN arrival; "
          "ALTER TABLE results DROP COLUMN output_quality; "
          "ALTER TABLE results DROP COLUMN structure_score; "
          "ALTER TABLE results DROP COLUMN fitness; "
          "ALTER TABLE results DROP COLUMN fitness_error; ALTER TABLE results DROP COLUMN paid; "
          "ALTER TABLE results DROP COLUMN retries; ALTER TABLE runs DROP COLUMN tags; "
          "ALTER TABLE runs DROP COLUMN certainty; "
          "DROP TABLE run_inputs; DROP TABLE input_layouts; DROP TABLE run_figures; "
          "DROP TABLE unmeasured_runs; "
          "ALTER TABLE run_texts ADD COLUMN figures BLOB NOT NULL DEFAULT x'6f6c64'; "
          "DELETE FROM schema_versions WHERE number > 2");
  {
    store::Database old(folder.database(), store::Database::Mode::read_only);
    ASSERT_EQ(version_of(old, store::migrations()), 2);
  }
  const auto refused = open_sqlite(folder.home(), Access::read_only);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(has_code(refused.error(), Code::store_unusable)) << text_of(refused.error());

  const auto store = folder.open();
  auto run = full_run("a-run");
  ++run.results;  // it was at work when its result came
  run.tags.clear();
  run.certainty.reset();
  expect_same(store->archive().runs().find("a-run").value().value(), run);
  auto result = full_result(3);
  result.output_quality = result.structure_score = result.fitness = std::nullopt;
  result.fitness_error.clear();
  result.paid = 0;  // it came from the cache
  result.retries = 0;
  expect_same(store->archive().runs().results("a-run").value().at(0), result);
  EXPECT_EQ(store->archive().runs().figures("a-run").value(), "old");
  EXPECT_TRUE(store->journal().unmeasured(9)->empty());  // it is still at work
  EXPECT_TRUE(store->archive().executions().list({}).value().items.empty());
  EXPECT_TRUE(store->archive().executions().decisions({}).value().items.empty());
  const std::vector kept{full_execution("an-execution")};
  ASSERT_TRUE(store->journal().keep_executions(kept));
  EXPECT_EQ(store->archive().executions().find("an-execution").value(), kept[0]);
}

// Of a store of version 4: its results are numbered in the order in which they came, its runs
// counted.
TEST(SqliteMigrations, AnOlderStoreGetsArrivalsAndCounts) {
  const Folder folder;
  write_bytes(folder.file("note"), "");
  {
    store::Database old(folder.database(), store::Database::Mode::create);
    migrate(old, store::migrations().first(4));
    for (const auto& [id, status] :
         {std::pair{"a", "completed"}, {"b", "completed"}, {"c", "failed"}})
      old.query(
             "INSERT INTO runs (id, suite, model, source, status, error, created_at, planned, "
             "results, passed, errors, version, suite_path, suite_hash, score_formula, "
             "score_error, score_metrics, metrics, parameters, system_prompt) VALUES "
             "(?, 's', 'm', x'', ?, x'', 1, 3, 3, 3, 0, '1', x'', '', x'', x'', '', '', x'', x'')")
          .text(id)
          .text(status)
          .run();
    const std::pair<int, int> added[] = {{30, 0}, {10, 1}, {20, 2}, {20, 3}};  // when, and sample
    for (const std::int64_t run : {1, 2})
      for (const auto& [when, sample] : added)
        old.query(
               "INSERT INTO results (place, added_at, status, repeat, tries, turn, from_cache, "
               "eval, eval_name, error, stop_reason, checks, tool_calls, prompt, response, "
               "thinking) VALUES (?, ?, 'passed', 0, 1, 1, 0, x'', x'61', x'', x'', '', '', x'', "
               "x'', x'')")
            .integer(run * (std::int64_t{1} << 32) + sample)
            .integer(when * run)
            .run();
    ASSERT_TRUE(old.result());
  }
  const auto store = folder.open();
  for (const char* id : {"a", "b"}) {
    std::string seen;
    const auto all = store->feed().arrivals(id, 0, 10).value();
    for (const auto& each : all)
      seen += std::to_string(each.number) + ":" + std::to_string(each.result.sample) + " ";
    EXPECT_EQ(seen, "1:1 2:2 3:3 4:0 ");
    ASSERT_TRUE(store->journal().add({id}, full_result(9)));
    EXPECT_EQ(store->feed().progress(id).value()->last_arrival, 5);
  }
  EXPECT_EQ(store->journal().unmeasured(9), (std::vector<std::string>{"c", "b", "a"}));
  EXPECT_EQ(store->archive().runs().list({}).value().total, 3u);
  store::RunQuery failed;
  failed.status = {score::RunStatus::failed};
  EXPECT_EQ(store->archive().runs().list(failed).value().total, 1u);
}

// Of a store of version 6, in which the parameters of a run say it.
TEST(SqliteMigrations, QueuedRunsKnowTheirLastArrival) {
  const Folder folder;
  write_bytes(folder.file("note"), "");
  constexpr std::pair<std::string_view, std::int64_t> kRuns[] = {
      {R"({"queued_after":7})", 7}, {"{}", 0}, {"\xff", 0}, {"", 0}};
  {
    store::Database old(folder.database(), store::Database::Mode::create);
    migrate(old, store::migrations().first(6));
    std::int64_t number = 0;
    for (const auto& [parameters, after] : kRuns) {
      ++number;
      old.query(
             "INSERT INTO runs (id, suite, model, source, status, error, created_at, planned, "
             "results, passed, errors, version, suite_path, suite_hash, score_formula, "
             "score_error, score_metrics, metrics, parameters, system_prompt) VALUES "
             "(?, 's', 'm', x'', 'queued', x'', 1, 3, 0, 0, 0, '1', x'', '', x'', x'', '', '', ?, "
             "x'')")
          .text(std::to_string(number))
          .blob(parameters)
          .run();
      old.query("INSERT INTO jobs (run, sealed) VALUES (?, x'')").integer(number).run();
    }
    ASSERT_TRUE(old.result());
  }
  const auto store = folder.open();
  std::int64_t number = 0;
  for (const auto& [parameters, after] : kRuns) {
    const auto claim = store->queue().claim_run(std::to_string(++number), "one", 1).value();
    ASSERT_TRUE(claim) << number;
    EXPECT_EQ(claim->queued_after, after) << parameters;
  }
}

TEST(SqliteStore, AnOlderStoreCannotBeReadWithoutBeingChanged) {
  const Folder folder;
  write_bytes(folder.database(), "");
  const auto store = open_sqlite(folder.home(), Access::read_only);
  ASSERT_FALSE(store);
  EXPECT_TRUE(has_code(store.error(), Code::store_unusable));
  EXPECT_TRUE(open_sqlite(folder.home()));  // an empty file becomes a store
}

}  // namespace

}  // namespace vibe::test
