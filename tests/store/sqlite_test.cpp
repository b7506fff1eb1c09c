// What is particular to the store in SQLite: its files, folders that cannot be used, damage.
#include "store/sqlite.h"

#include <atomic>
#include <functional>
#include <random>

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "store/conformance.h"
#include "store/folder.h"
#include "store/sql.h"

namespace vibe::test {

using base::Code;
using store::Access;
using store::open_sqlite;

namespace {

class SqlitePlace : public BackendPlace {
 public:
  store::Backend& backend() override { return *backend_; }
  void set_clock(store::Millis now) override { now_ = now; }

 private:
  Folder folder_;
  std::atomic<store::Millis> now_ = base::now_millis();
  std::unique_ptr<store::Backend> backend_ =
      store::make_sqlite_backend(folder_.home(), {.now = [this] { return now_.load(); }});
};

const BackendFactory kSqlite{"Sqlite", [] { return std::make_unique<SqlitePlace>(); }};
INSTANTIATE_TEST_SUITE_P(Sqlite, StoreConformance, testing::Values(kSqlite), name_of);
INSTANTIATE_TEST_SUITE_P(Sqlite, RunLists, testing::Values(kSqlite), name_of);
INSTANTIATE_TEST_SUITE_P(Sqlite, RunQueue, testing::Values(kSqlite), name_of);
INSTANTIATE_TEST_SUITE_P(Sqlite, ExecutionStore, testing::Values(kSqlite), name_of);
INSTANTIATE_TEST_SUITE_P(Sqlite, DirectoryConformance, testing::Values(kSqlite), name_of);
INSTANTIATE_TEST_SUITE_P(Sqlite, AccountsConformance, testing::Values(kSqlite), name_of);

unsigned mode_of(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777U;
}

// ---- files

TEST(SqliteStore, FilesAreForTheirOwnerAlone) {
  const mode_t before = ::umask(0);
  const Folder folder;
  const auto store = open_sqlite(folder.home() + "/deeper/still");
  ::umask(before);
  ASSERT_TRUE(store) << text_of(store.error());
  ASSERT_TRUE((*store)->archive().variables().set_secret("name", "value"));
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
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(store->journal().begin(full_run(id)));
  ASSERT_TRUE(
      store->archive().suites().save({"capitals", full_run("").suite_text, "", 1, 0, 0, {}}, 1));
  EXPECT_EQ(first_column(folder.database(), "SELECT count(*) FROM texts"),
            (std::vector<std::string>{"1"}));
}

TEST(SqliteStore, ReadOnlyReadsAndDoesNotWrite) {
  const Folder folder;
  const auto missing = open_sqlite(folder.home(), Access::read_only);
  ASSERT_FALSE(missing);
  EXPECT_TRUE(has_code(missing.error(), Code::store_unusable));
  EXPECT_FALSE(std::filesystem::exists(folder.home()));  // nothing was made
  ASSERT_TRUE(folder.open()->journal().begin(full_run("a-run")));
  const auto store = open_sqlite(folder.home(), Access::read_only);
  ASSERT_TRUE(store) << text_of(store.error());
  expect_same((*store)->archive().runs().find("last").value().value(), full_run("a-run"));
  EXPECT_TRUE(
      has_code((*store)->journal().add({"a-run"}, full_result(0)).error(), Code::store_unusable));
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

// ---- lists

TEST(SqliteStore, CountsAllRunsOfAStatusButStopsWithOtherFilters) {
  const Folder folder;
  const auto store = folder.open();
  ASSERT_TRUE(store->journal().begin(full_run("a-run")));
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
    return store->archive().runs().list(query).value().total;
  };
  EXPECT_EQ(total([](auto&) {}), 12'001u);
  EXPECT_EQ(total([](auto& q) { q.status = {score::RunStatus::completed}; }), 12'000u);
  EXPECT_EQ(total([](auto& q) { q.suite = "capitals"; }), store::kMostCounted);
  EXPECT_EQ(total([](auto& q) { q.model = "openai/gpt-4o"; }), store::kMostCounted);
  EXPECT_EQ(total([](auto& q) { q.model_like = "openai/%"; }), store::kMostCounted);
  EXPECT_EQ(total([](auto& q) { q.completed.from = 11'901; }), 100u);
  execute(folder.database(), "DELETE FROM run_texts; DELETE FROM runs WHERE completed_at > 100");
  EXPECT_EQ(total([](auto&) {}), 100u);
}

// More forms of a query than there is room for prepared ones.
TEST(SqliteStore, ServesQueriesOfEveryForm) {
  const Folder folder;
  const auto store = folder.open();
  ASSERT_TRUE(store->journal().begin(full_run("a-run")));
  for (unsigned form = 0; form < 512; ++form) {
    store::RunQuery query;
    if (form & 1) query.suite = "capitals";
    if (form & 2) query.model = "openai/gpt-4o";
    if (form & 4) query.model_like = "openai/%";
    if (form & 8) query.cost = {0, 1};
    if (form & 16) query.success = {0, 100};
    if (form & 32) query.score = {0, 1000};
    if (form & 64) query.duration = {0, 100};
    if (form & 128) query.created.from = 0;
    if (form & 256) query.completed.to = 5000;
    const auto page = store->archive().runs().list(query);
    ASSERT_TRUE(page) << form << text_of(page.error());
    EXPECT_EQ(page->runs.size(), 1u) << form;
    EXPECT_EQ(page->total, 1u) << form;
  }
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
    EXPECT_TRUE(store->journal().begin(full_run("a-run")));
    for (std::uint32_t i = 0; i < 100; ++i)
      EXPECT_TRUE(store->journal().add({"a-run"}, full_result(i)));
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
    const auto run = (*store)->archive().runs().find("a-run");
    const auto results = (*store)->archive().runs().results("a-run");
    const auto list = (*store)->archive().runs().list({});
    static_cast<void>((*store)->journal().add({"a-run"}, full_result(50)));
    static_cast<void>((*store)->journal().write({"a-run"}, full_run("a-run"), {}));
    if (!results) {
      ++reported;
      EXPECT_TRUE(has_code(results.error(), Code::store_damaged) ||
                  has_code(results.error(), Code::not_found))
          << text_of(results.error());
    }
  }
  EXPECT_GT(reported, 3u);
}

}  // namespace

}  // namespace vibe::test
