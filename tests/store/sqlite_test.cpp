// What is particular to the store in SQLite: the file and its versions, damage, the key of the
// secrets, the plans of queries.
#include "store/sqlite.h"

#include <array>
#include <functional>
#include <random>
#include <set>

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "store/conformance.h"
#include "store/folder.h"
#include "store/schema.h"

namespace vibe::test {

using base::Code;
using store::Access;
using store::Migration;
using store::open_sqlite;

namespace {

class SqlitePlace : public StorePlace {
 public:
  base::Result<std::unique_ptr<store::Store>> open() override {
    return open_sqlite(folder_.home());
  }

 private:
  Folder folder_;
};

const StoreFactory kSqlite{"Sqlite", [] { return std::make_unique<SqlitePlace>(); }};
INSTANTIATE_TEST_SUITE_P(Sqlite, StoreConformance, testing::Values(kSqlite), name_of);
INSTANTIATE_TEST_SUITE_P(Sqlite, RunLists, testing::Values(kSqlite), name_of);
INSTANTIATE_TEST_SUITE_P(Sqlite, RunQueue, testing::Values(kSqlite), name_of);
INSTANTIATE_TEST_SUITE_P(Sqlite, ExecutionStore, testing::Values(kSqlite), name_of);

unsigned mode_of(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777U;
}

void execute(const std::string& path, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

std::vector<std::string> first_column(const std::string& path, const std::string& sql,
                                      int column = 0) {
  std::vector<std::string> out;
  sqlite3* handle = nullptr;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle) << "\n"
      << sql;
  while (sqlite3_step(statement) == SQLITE_ROW)
    out.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement, column)));
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  return out;
}

// ---- files

TEST(SqliteStore, FilesAreForTheirOwnerAlone) {
  const mode_t before = ::umask(0);
  const Folder folder;
  const auto store = open_sqlite(folder.home() + "/deeper/still");
  ::umask(before);
  ASSERT_TRUE(store) << text_of(store.error());
  ASSERT_TRUE((*store)->set_secret("name", "value"));
  const std::string home = folder.home() + "/deeper/still/";
  EXPECT_EQ(mode_of(folder.home()), 0700u);
  EXPECT_EQ(mode_of(home), 0700u);
  for (const char* file :
       {"vibecheck.db", "vibecheck.db-wal", "vibecheck.db-shm", "vibecheck.lock", "secret.key"})
    EXPECT_EQ(mode_of(home + file), 0600u) << file;
}

TEST(SqliteStore, WorksInAFolderWithASpecialName) {
  const Folder folder;
  const std::string home = folder.home() + "/a?b#c%20d&e=f \xc3\xa9";
  ASSERT_TRUE(open_sqlite(home));
  EXPECT_TRUE(std::filesystem::exists(home + "/vibecheck.db"));
  EXPECT_TRUE(open_sqlite(home, Access::read_only));
}

TEST(SqliteStore, IsInWalMode) {
  const Folder folder;
  folder.open();
  EXPECT_EQ(first_column(folder.database(), "PRAGMA journal_mode"),
            (std::vector<std::string>{"wal"}));
}

TEST(SqliteStore, KeepsATextOnce) {
  const Folder folder;
  const auto store = folder.open();
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(store->add_run(full_run(id)));
  ASSERT_TRUE(store->save_suite({"capitals", full_run("").suite_text, "", 1, 0, 0, {}}, 1));
  EXPECT_EQ(first_column(folder.database(), "SELECT count(*) FROM texts"),
            (std::vector<std::string>{"1"}));
}

TEST(SqliteStore, ReadOnlyReadsAndDoesNotWrite) {
  const Folder folder;
  const auto missing = open_sqlite(folder.home(), Access::read_only);
  ASSERT_FALSE(missing);
  EXPECT_TRUE(has_code(missing.error(), Code::store_unusable));
  EXPECT_FALSE(std::filesystem::exists(folder.home()));  // nothing was made
  ASSERT_TRUE(folder.open()->add_run(full_run("a-run")));
  const auto store = open_sqlite(folder.home(), Access::read_only);
  ASSERT_TRUE(store) << text_of(store.error());
  expect_same((*store)->run("last").value().value(), full_run("a-run"));
  EXPECT_TRUE(
      has_code((*store)->add_result("a-run", full_result(0)).error(), Code::store_unusable));
}

// ---- folders that cannot be used

TEST(SqliteStore, SaysWhyAFolderCannotBeUsed) {
  const Folder folder;
  write_bytes(folder.home() + "/file", "text");
  for (const std::string& path : {folder.home() + "/file", folder.home() + "/file/below",
                                  std::string("/proc/vibecheck"), std::string("/dev/null/x")}) {
    const auto store = open_sqlite(path);
    ASSERT_FALSE(store) << path;
    EXPECT_TRUE(has_code(store.error(), Code::store_unusable));
    const std::string text = text_of(store.error());
    EXPECT_NE(text.find("`" + path + "`"), std::string::npos) << text;
    EXPECT_NE(text.find("VIBECHECK_HOME"), std::string::npos) << text;
  }
  EXPECT_EQ(read_bytes(folder.home() + "/file"), "text");
}

TEST(SqliteStore, SaysWhyAFileCannotBeOpened) {
  const Folder folder;
  std::filesystem::create_directories(folder.database());  // a folder in its place
  const auto store = open_sqlite(folder.home());
  ASSERT_FALSE(store);
  EXPECT_TRUE(has_code(store.error(), Code::store_unusable));
  EXPECT_NE(text_of(store.error()).find("vibecheck.db"), std::string::npos);
}

// ---- versions

TEST(SqliteStore, ANewerStoreIsLeftAlone) {
  const Folder folder;
  ASSERT_TRUE(folder.open()->add_run(full_run("a-run")));
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
  store::Database database(folder.database(), store::Database::Mode::read_write);
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
  migrate(database, kBroken);
  EXPECT_FALSE(database.result());
  EXPECT_EQ(version_of(database, kBroken), 2);  // those before it are done
  EXPECT_EQ(first_column(folder.database(), "SELECT name FROM sqlite_schema WHERE name = 'more'"),
            std::vector<std::string>{});
}

TEST(SqliteMigrations, AreNumberedWithoutGaps) {
  std::int64_t number = 0;
  for (const Migration& migration : store::migrations()) EXPECT_EQ(migration.number, ++number);
}

// A store of the program before, with what it kept.
TEST(SqliteMigrations, AStoreOfVersionTwoKeepsItsRuns) {
  const Folder folder;
  ASSERT_TRUE(folder.open()->add_run(full_run("a-run")));
  ASSERT_TRUE(folder.open()->add_result("a-run", full_result(3)));
  execute(folder.database(),
          "DROP TABLE executions; DROP TABLE decisions; DROP TABLE jobs; DROP TABLE run_counts; "
          "DROP TRIGGER run_added; DROP TRIGGER run_changed; DROP TRIGGER run_removed; "
          "DROP INDEX runs_newest; DROP INDEX runs_completed; DROP INDEX results_arrival; "
          "DROP TRIGGER run_stamped; ALTER TABLE runs DROP COLUMN stamp; "
          "ALTER TABLE results DROP COLUMN arrival; "
          "ALTER TABLE results DROP COLUMN output_quality; "
          "ALTER TABLE results DROP COLUMN structure_score; "
          "ALTER TABLE results DROP COLUMN fitness; "
          "ALTER TABLE results DROP COLUMN fitness_error; "
          "DELETE FROM schema_versions WHERE number > 2");
  {
    store::Database old(folder.database(), store::Database::Mode::read_only);
    ASSERT_EQ(version_of(old, store::migrations()), 2);
  }
  const auto refused = open_sqlite(folder.home(), Access::read_only);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(has_code(refused.error(), Code::store_unusable)) << text_of(refused.error());

  const auto store = folder.open();
  expect_same(store->run("a-run").value().value(), full_run("a-run"));
  auto result = full_result(3);
  result.output_quality = result.structure_score = result.fitness = std::nullopt;
  result.fitness_error.clear();
  expect_same(store->results("a-run").value().at(0), result);
  EXPECT_TRUE(store->executions({}).value().items.empty());
  EXPECT_TRUE(store->decisions({}).value().items.empty());
  const std::vector kept{full_execution("an-execution")};
  ASSERT_TRUE(store->keep_executions(kept));
  EXPECT_EQ(store->execution("an-execution").value(), kept[0]);
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
    const auto all = store->arrivals(id, 0, 10).value();
    for (const auto& each : all)
      seen += std::to_string(each.number) + ":" + std::to_string(each.result.sample) + " ";
    EXPECT_EQ(seen, "1:1 2:2 3:3 4:0 ");
    ASSERT_TRUE(store->add_result(id, full_result(9)));
    EXPECT_EQ(store->progress(id).value()->last_arrival, 5);
  }
  EXPECT_EQ(store->runs({}).value().total, 3u);
  store::RunQuery failed;
  failed.status = {score::RunStatus::failed};
  EXPECT_EQ(store->runs(failed).value().total, 1u);
}

TEST(SqliteStore, CountsAllRunsOfAStatusButStopsWithOtherFilters) {
  const Folder folder;
  const auto store = folder.open();
  ASSERT_TRUE(store->add_run(full_run("a-run")));
  execute(
      folder.database(),
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000) "
      "INSERT INTO runs (id, suite, model, source, status, error, created_at, planned, results, "
      "passed, errors, version, suite_path, suite_hash, score_formula, score_error, "
      "score_metrics, metrics, parameters, system_prompt, completed_at) "
      "SELECT 'n' || i, suite, model, source, 'completed', error, created_at, planned, results, "
      "passed, errors, version, suite_path, suite_hash, score_formula, score_error, "
      "score_metrics, metrics, parameters, system_prompt, i FROM runs, n");
  const auto total = [&](const std::function<void(store::RunQuery&)>& set) {
    store::RunQuery query;
    query.limit = 1;
    set(query);
    return store->runs(query).value().total;
  };
  EXPECT_EQ(total([](auto&) {}), 12'001u);
  EXPECT_EQ(total([](auto& q) { q.status = {score::RunStatus::completed}; }), 12'000u);
  EXPECT_EQ(total([](auto& q) { q.suite = "capitals"; }), store::kMostCounted);
  EXPECT_EQ(total([](auto& q) { q.model = "openai/gpt-4o"; }), store::kMostCounted);
  EXPECT_EQ(total([](auto& q) { q.model_like = "openai/%"; }), store::kMostCounted);
  EXPECT_EQ(total([](auto& q) { q.completed_from = 11'901; }), 100u);
  execute(folder.database(), "DELETE FROM run_texts; DELETE FROM runs WHERE completed_at > 100");
  EXPECT_EQ(total([](auto&) {}), 100u);
}

// More forms of a query than there is room for prepared ones.
TEST(SqliteStore, ServesQueriesOfEveryForm) {
  const Folder folder;
  const auto store = folder.open();
  ASSERT_TRUE(store->add_run(full_run("a-run")));
  for (unsigned form = 0; form < 512; ++form) {
    store::RunQuery query;
    if (form & 1) query.suite = "capitals";
    if (form & 2) query.model = "openai/gpt-4o";
    if (form & 4) query.model_like = "openai/%";
    if (form & 8) query.cost = {0, 1};
    if (form & 16) query.success = {0, 100};
    if (form & 32) query.score = {0, 1000};
    if (form & 64) query.duration = {0, 100};
    if (form & 128) query.created_from = 0;
    if (form & 256) query.completed_to = 5000;
    const auto page = store->runs(query);
    ASSERT_TRUE(page) << form << text_of(page.error());
    EXPECT_EQ(page->runs.size(), 1u) << form;
    EXPECT_EQ(page->total, 1u) << form;
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

// ---- damage

std::string random_bytes(std::size_t size) {
  std::mt19937 random(42);
  std::string out;
  for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(random());
  return out;
}

std::string store_bytes() {
  const Folder folder;
  {
    const auto store = folder.open();
    EXPECT_TRUE(store->add_run(full_run("a-run")));
    for (std::uint32_t i = 0; i < 100; ++i) EXPECT_TRUE(store->add_result("a-run", full_result(i)));
  }
  return read_bytes(folder.database());
}

TEST(SqliteStore, WhatIsNoStoreIsLeftAlone) {
  const std::string whole = store_bytes();
  Folder other;
  write_bytes(other.file("note"), "");
  execute(other.database(), "CREATE TABLE notes (text); PRAGMA application_id = 7");
  Folder unmarked;
  write_bytes(unmarked.file("note"), "");
  execute(unmarked.database(), "CREATE TABLE notes (text)");
  const std::pair<const char*, std::string> cases[] = {
      {"random", random_bytes(100'000)},
      {"one byte", "x"},
      {"two bytes", "xy"},
      {"text", "hello, this is a text file\n"},
      {"long text", std::string(100'000, 'a')},
      {"zeros", std::string(8192, '\0')},
      {"header alone", whole.substr(0, 100)},
      {"cut in a page", whole.substr(0, 3000)},
      {"cut in half", whole.substr(0, whole.size() / 2)},
      {"one page less", whole.substr(0, whole.size() - 4096)},
      {"another program", read_bytes(other.database())},
      {"unmarked", read_bytes(unmarked.database())},
  };
  for (const auto& [name, bytes] : cases) {
    for (const Access access : {Access::read_write, Access::read_only}) {
      const Folder folder;
      write_bytes(folder.database(), bytes);
      const auto store = open_sqlite(folder.home(), access);
      ASSERT_FALSE(store) << name;
      EXPECT_TRUE(has_code(store.error(), Code::store_damaged)) << name << text_of(store.error());
      const std::string text = text_of(store.error());
      EXPECT_NE(text.find("`" + folder.database() + "`"), std::string::npos) << text;
      EXPECT_NE(text.find("move it away"), std::string::npos) << text;
      EXPECT_TRUE(read_bytes(folder.database()) == bytes) << name;
    }
  }
}

// Any page overwritten: what is called says so, or goes on; nothing crashes.
TEST(SqliteStore, DamageInTheMiddleIsReportedWhereItIsMet) {
  const std::string whole = store_bytes();
  std::size_t reported = 0;
  for (std::size_t page = 1; page < whole.size() / 4096; ++page) {
    const Folder folder;
    std::string bytes = whole;
    bytes.replace(page * 4096, 4096, random_bytes(4096));
    write_bytes(folder.database(), bytes);
    const auto store = open_sqlite(folder.home());
    if (!store) {
      ++reported;
      continue;
    }
    const auto run = (*store)->run("a-run");
    const auto results = (*store)->results("a-run");
    const auto list = (*store)->runs({});
    static_cast<void>((*store)->add_result("a-run", full_result(50)));
    static_cast<void>((*store)->update_run(full_run("a-run"), ""));
    if (!results) {
      ++reported;
      EXPECT_TRUE(has_code(results.error(), Code::store_damaged) ||
                  has_code(results.error(), Code::not_found))
          << text_of(results.error());
    }
  }
  EXPECT_GT(reported, 3u);
}

// ---- the key of the secrets

TEST(SqliteSecrets, AreNotInTheFilesAsTheyAre) {
  const Folder folder;
  const auto store = folder.open();
  ASSERT_TRUE(store->set_secret("name", "a-very-secret-value"));
  for (const char* file : {"vibecheck.db", "vibecheck.db-wal", "secret.key"})
    EXPECT_EQ(read_bytes(folder.file(file)).find("a-very-secret"), std::string::npos);
  EXPECT_EQ(read_bytes(folder.file("secret.key")).size(), 32u);
}

TEST(SqliteSecrets, NoKeyIsMadeWithoutASecret) {
  const Folder folder;
  const auto store = folder.open();
  EXPECT_FALSE(store->secret("name").value());
  EXPECT_FALSE(store->set_secret("name", ""));
  EXPECT_FALSE(std::filesystem::exists(folder.file("secret.key")));
}

struct KeyCase {
  const char* name;
  std::function<void(const std::string&)> spoil;
  const char* says;
};

TEST(SqliteSecrets, ASpoiltKeyIsRefused) {
  const KeyCase cases[] = {
      {"missing", [](const std::string& path) { std::filesystem::remove(path); }, "is missing"},
      {"other", [](const std::string& path) { write_bytes(path, std::string(32, 'x')); }, "is not"},
      {"short", [](const std::string& path) { write_bytes(path, "x"); }, "holds no key"},
      {"long", [](const std::string& path) { write_bytes(path, std::string(33, 'x')); },
       "holds no key"},
      {"open to others", [](const std::string& path) { ::chmod(path.c_str(), 0640); }, "chmod 600"},
      {"a folder",
       [](const std::string& path) {
         std::filesystem::remove(path);
         std::filesystem::create_directory(path);
         ::chmod(path.c_str(), 0700);
       },
       ""},
  };
  for (const auto& each : cases) {
    const Folder folder;
    const auto store = folder.open();
    ASSERT_TRUE(store->set_secret("name", "value"));
    each.spoil(folder.file("secret.key"));
    const auto read = store->secret("name");
    ASSERT_FALSE(read) << each.name;
    EXPECT_TRUE(has_code(read.error(), Code::store_key)) << text_of(read.error());
    const auto set = store->set_secret("second", "value");
    ASSERT_FALSE(set) << each.name;
    EXPECT_TRUE(has_code(set.error(), Code::store_key)) << text_of(set.error());
    EXPECT_NE(text_of(set.error()).find(each.says), std::string::npos) << text_of(set.error());
    EXPECT_EQ(store->secrets().value(), (std::vector<std::string>{"name"}));
    EXPECT_TRUE(store->delete_secret("name").value());  // so one can start anew
  }
}

TEST(SqliteSecrets, ASealedValueOfAnotherNameIsNotOpened) {
  const Folder folder;
  ASSERT_TRUE(folder.open()->set_secret("a", "value"));
  execute(folder.database(), "UPDATE secrets SET name = 'b'");
  EXPECT_TRUE(has_code(folder.open()->secret("b").error(), Code::store_key));
}

TEST(SqliteSecrets, TheKeyIsWhereItIsSaidToBe) {
  const Folder folder;
  const std::string elsewhere = folder.file("elsewhere.key");
  {
    const auto store = open_sqlite(folder.home(), {.key_file = elsewhere}).value();
    ASSERT_TRUE(store->set_secret("name", "value"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("secret.key")));
  EXPECT_EQ(read_bytes(elsewhere).size(), 32u);
  EXPECT_TRUE(has_code(folder.open()->secret("name").error(), Code::store_key));
  const auto store = open_sqlite(folder.home(), {.key_file = elsewhere}).value();
  EXPECT_EQ(store->secret("name").value(), "value");
}

TEST(SqliteSecrets, AKeyThatIsGivenIsNotInAFile) {
  const Folder folder;
  const auto key = base::random_key();
  {
    const auto store = open_sqlite(folder.home(), {.key = key}).value();
    ASSERT_TRUE(store->set_secret("name", "value"));
    ASSERT_TRUE(store->enqueue(full_run("a-run"), "an order"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("secret.key")));
  EXPECT_EQ(open_sqlite(folder.home(), {.key = key}).value()->secret("name").value(), "value");
  const auto wrong = open_sqlite(folder.home(), {.key = base::random_key()}).value();
  for (const auto& error :
       {wrong->secret("name").error(), wrong->set_secret("other", "value").error(),
        wrong->enqueue(full_run("b-run"), "").error(), wrong->claim("one", 1, 2).error()}) {
    EXPECT_TRUE(has_code(error, Code::store_key)) << text_of(error);
    EXPECT_NE(text_of(error).find("that was given"), std::string::npos) << text_of(error);
  }
  EXPECT_EQ(wrong->queue_depth().value().waiting, 1u);  // the run waits for the right key
  EXPECT_FALSE(wrong->run("b-run").value());
  EXPECT_EQ(open_sqlite(folder.home(), {.key = key}).value()->claim("one", 1, 2).value()->order,
            "an order");
}

TEST(SqliteSecrets, OrdersOfTheQueueAreSealed) {
  const Folder folder;
  const auto store = folder.open();
  ASSERT_TRUE(store->enqueue(full_run("a-run"), "a-very-secret-order"));
  for (const char* file : {"vibecheck.db", "vibecheck.db-wal"})
    EXPECT_EQ(read_bytes(folder.file(file)).find("a-very-secret"), std::string::npos);
  // One that the key does not open does not hold up the others.
  execute(folder.database(), "UPDATE jobs SET sealed = x'00'");
  ASSERT_TRUE(store->enqueue(full_run("b-run"), "order of b"));
  const auto claimed = store->claim("one", 1, 2).value();
  ASSERT_TRUE(claimed);
  EXPECT_EQ(claimed->order, "order of b");
  EXPECT_TRUE(has_code(store->claim("one", 1, 2).error(), Code::store_key));
}

// ---- plans

std::vector<std::string> traced;

int trace(unsigned, void*, void* statement, void*) {
  char* sql = sqlite3_expanded_sql(static_cast<sqlite3_stmt*>(statement));
  traced.emplace_back(sql);
  sqlite3_free(sql);
  return 0;
}

int trace_new(sqlite3* handle, const char**, const struct sqlite3_api_routines*) {
  return sqlite3_trace_v2(handle, SQLITE_TRACE_STMT, trace, nullptr);
}

TEST(SqlitePlans, ListsAreReadFromIndexesWithoutSorting) {
  const Folder folder;
  const auto entry = reinterpret_cast<void (*)()>(trace_new);
  sqlite3_auto_extension(entry);
  const auto store = folder.open();
  sqlite3_cancel_auto_extension(entry);
  for (int i = 0; i < 5; ++i) {
    auto run = full_run("run-" + std::to_string(i));
    if (i % 2 == 0) run.score = run.total_cost = run.duration = std::nullopt;
    if (i % 2 == 0) run.results = 0;
    ASSERT_TRUE(store->add_run(run));
  }
  traced.clear();
  for (int order = 0; order <= static_cast<int>(store::RunOrder::price_performance); ++order) {
    for (const bool ascending : {false, true}) {
      for (const char* suite : {"", "capitals"}) {
        for (const bool by_status : {false, true}) {
          store::RunQuery query;
          query.order = static_cast<store::RunOrder>(order);
          query.ascending = ascending;
          query.suite = suite;
          if (by_status) query.status = {score::RunStatus::running, score::RunStatus::failed};
          query.limit = 1;
          std::size_t seen = 0;
          do {
            const auto page = store->runs(query).value();
            query.after = page.next;
            seen += page.runs.size();
          } while (!query.after.empty());
          EXPECT_EQ(seen, 5u);
        }
      }
    }
  }
  ASSERT_TRUE(store->last_scores("capitals", 3));
  ASSERT_TRUE(store->run("last"));
  ASSERT_TRUE(store->run("run-1"));
  std::size_t explained = 0;
  for (const auto& sql : std::set<std::string>(traced.begin(), traced.end())) {
    if (sql.find("FROM runs") == std::string::npos) continue;
    ++explained;
    for (const auto& step : first_column(folder.database(), "EXPLAIN QUERY PLAN " + sql, 3)) {
      // All of them by time: as many as the page has are read, from the index's end.
      const bool is_end = step == "SCAN runs USING COVERING INDEX runs_newest";
      EXPECT_TRUE(is_end || step.find("SCAN runs") == std::string::npos) << step << "\n" << sql;
      EXPECT_EQ(step.find("TEMP B-TREE"), std::string::npos) << step << "\n" << sql;
    }
  }
  EXPECT_GT(explained, 50u);
}

TEST(SqlitePlans, ArrivalsAreReadFromTheirIndex) {
  const Folder folder;
  const auto entry = reinterpret_cast<void (*)()>(trace_new);
  sqlite3_auto_extension(entry);
  const auto store = folder.open();
  sqlite3_cancel_auto_extension(entry);
  traced.clear();
  ASSERT_TRUE(store->add_run(full_run("a-run")));
  ASSERT_TRUE(store->add_result("a-run", full_result(0)));
  ASSERT_TRUE(store->arrivals("a-run", 0, 1));
  ASSERT_TRUE(store->progress("a-run"));
  std::size_t explained = 0;
  for (const auto& sql : std::set<std::string>(traced.begin(), traced.end())) {
    if (sql.find("FROM results") == std::string::npos) continue;
    ++explained;
    for (const auto& step : first_column(folder.database(), "EXPLAIN QUERY PLAN " + sql, 3)) {
      EXPECT_EQ(step.find("SCAN results"), std::string::npos) << step << "\n" << sql;
      EXPECT_EQ(step.find("TEMP B-TREE"), std::string::npos) << step << "\n" << sql;
    }
  }
  EXPECT_EQ(explained, 3u);
}

TEST(SqlitePlans, ListsOfExecutionsAreReadFromIndexesWithoutSorting) {
  const Folder folder;
  const auto entry = reinterpret_cast<void (*)()>(trace_new);
  sqlite3_auto_extension(entry);
  const auto store = folder.open();
  sqlite3_cancel_auto_extension(entry);
  std::vector<fitness::ScoredExecution> kept;
  for (int i = 0; i < 5; ++i) {
    kept.push_back(full_execution("execution-" + std::to_string(i)));
    kept.back().execution.id = std::to_string(i);
  }
  traced.clear();
  ASSERT_TRUE(store->keep_executions(kept));
  kept[0].id = "execution-of-a-file";
  kept[0].execution.id.clear();
  ASSERT_TRUE(store->keep_executions({kept.data(), 1}));
  for (const bool by_agent : {false, true}) {
    for (const bool by_version : {false, true}) {
      store::ExecutionQuery query{.limit = 1};
      if (by_agent) query.agent = kept[0].agent.agent;
      if (by_version) query.version = kept[0].agent.version;
      do {
        query.after = store->executions(query).value().next;
      } while (!query.after.empty());
    }
  }
  ASSERT_TRUE(store->execution("last"));
  ASSERT_TRUE(store->execution("execution-1"));
  ASSERT_TRUE(store->add_decision(full_decision("d")));
  ASSERT_TRUE(store->decisions({.after = "1.1"}));
  std::size_t explained = 0;
  for (const auto& sql : std::set<std::string>(traced.begin(), traced.end())) {
    if (!sql.starts_with("SELECT") && !sql.starts_with("UPDATE")) continue;
    ++explained;
    for (const auto& step : first_column(folder.database(), "EXPLAIN QUERY PLAN " + sql, 3)) {
      const bool is_scan = step.starts_with("SCAN ") && step.find("INDEX") == step.npos &&
                           !step.starts_with("SCAN (subquery");
      EXPECT_FALSE(is_scan) << step << "\n" << sql;
      EXPECT_EQ(step.find("TEMP B-TREE"), std::string::npos) << step << "\n" << sql;
    }
  }
  EXPECT_GT(explained, 20u);
}

}  // namespace

}  // namespace vibe::test
