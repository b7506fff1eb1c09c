// The key of what the store in SQLite seals: secrets, and orders of the queue.
#include <functional>

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "store/conformance.h"
#include "store/folder.h"
#include "store/sql.h"
#include "store/sqlite.h"

namespace vibe::test {

using base::Code;
using store::open_sqlite;

namespace {

TEST(SqliteSecrets, AreNotInTheFilesAsTheyAre) {
  const Folder folder;
  const auto store = folder.open();
  ASSERT_TRUE(store->archive().variables().set_secret("name", "a-very-secret-value"));
  for (const char* file : {"vibecheck.db", "vibecheck.db-wal", "secret.key"})
    EXPECT_EQ(read_bytes(folder.file(file)).find("a-very-secret"), std::string::npos);
  EXPECT_EQ(read_bytes(folder.file("secret.key")).size(), 32u);
}

TEST(SqliteSecrets, NoKeyIsMadeWithoutASecret) {
  const Folder folder;
  const auto store = folder.open();
  EXPECT_FALSE(store->vault().open("name").value());
  EXPECT_FALSE(store->archive().variables().set_secret("name", ""));
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
      {"short", [](const std::string& path) { write_bytes(path, "x"); },
       "is not a valid key for the secrets"},
      {"long", [](const std::string& path) { write_bytes(path, std::string(33, 'x')); },
       "is not a valid key for the secrets"},
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
    ASSERT_TRUE(store->archive().variables().set_secret("name", "value"));
    each.spoil(folder.file("secret.key"));
    const auto read = store->vault().open("name");
    ASSERT_FALSE(read) << each.name;
    EXPECT_TRUE(has_code(read.error(), Code::store_key)) << text_of(read.error());
    const auto set = store->archive().variables().set_secret("second", "value");
    ASSERT_FALSE(set) << each.name;
    EXPECT_TRUE(has_code(set.error(), Code::store_key)) << text_of(set.error());
    EXPECT_NE(text_of(set.error()).find(each.says), std::string::npos) << text_of(set.error());
    EXPECT_EQ(store->archive().variables().secret_names().value(),
              (std::vector<std::string>{"name"}));
    EXPECT_TRUE(
        store->archive().variables().remove_secret("name").value());  // so one can start again
  }
}

TEST(SqliteSecrets, ASealedValueOfAnotherNameIsNotOpened) {
  const Folder folder;
  ASSERT_TRUE(folder.open()->archive().variables().set_secret("a", "value"));
  execute(folder.database(), "UPDATE secrets SET name = 'b'");
  EXPECT_TRUE(has_code(folder.open()->vault().open("b").error(), Code::store_key));
}

TEST(SqliteSecrets, TheKeyIsWhereItIsSaidToBe) {
  const Folder folder;
  const std::string elsewhere = folder.file("elsewhere.key");
  {
    const auto store = open_sqlite(folder.home(), {.key_file = elsewhere}).value();
    ASSERT_TRUE(store->archive().variables().set_secret("name", "value"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("secret.key")));
  EXPECT_EQ(read_bytes(elsewhere).size(), 32u);
  EXPECT_TRUE(has_code(folder.open()->vault().open("name").error(), Code::store_key));
  const auto store = open_sqlite(folder.home(), {.key_file = elsewhere}).value();
  EXPECT_EQ(store->vault().open("name").value(), "value");
}

TEST(SqliteSecrets, AKeyThatIsGivenIsNotInAFile) {
  const Folder folder;
  const auto key = base::random_key();
  {
    const auto store = open_sqlite(folder.home(), {.key = key}).value();
    ASSERT_TRUE(store->archive().variables().set_secret("name", "value"));
    ASSERT_TRUE(store->queue().enqueue(full_run("a-run"), "a job"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("secret.key")));
  EXPECT_EQ(open_sqlite(folder.home(), {.key = key}).value()->vault().open("name").value(),
            "value");
  const auto wrong = open_sqlite(folder.home(), {.key = base::random_key()}).value();
  for (const auto& error : {wrong->vault().open("name").error(),
                            wrong->archive().variables().set_secret("other", "value").error(),
                            wrong->queue().enqueue(full_run("b-run"), "").error(),
                            wrong->queue().claim("one", 1).error()}) {
    EXPECT_TRUE(has_code(error, Code::store_key)) << text_of(error);
    EXPECT_NE(text_of(error).find("the given key"), std::string::npos) << text_of(error);
  }
  EXPECT_EQ(wrong->queue().depth().value().waiting, 1u);  // the run waits for the right key
  EXPECT_FALSE(wrong->archive().runs().find("b-run").value());
  EXPECT_EQ(open_sqlite(folder.home(), {.key = key}).value()->queue().claim("one", 1).value()->job,
            "a job");
}

TEST(SqliteSecrets, JobsOfTheQueueAreSealed) {
  const Folder folder;
  const auto store = folder.open();
  ASSERT_TRUE(store->queue().enqueue(full_run("a-run"), "a-very-secret-job"));
  for (const char* file : {"vibecheck.db", "vibecheck.db-wal"})
    EXPECT_EQ(read_bytes(folder.file(file)).find("a-very-secret"), std::string::npos);
  // One that the key does not open does not hold up the others.
  execute(folder.database(), "UPDATE jobs SET sealed = x'00'");
  ASSERT_TRUE(store->queue().enqueue(full_run("b-run"), "job of b"));
  const auto claimed = store->queue().claim("one", 1).value();
  ASSERT_TRUE(claimed);
  EXPECT_EQ(claimed->job, "job of b");
  EXPECT_TRUE(has_code(store->queue().claim("one", 1).error(), Code::store_key));
  // Nor does it keep anybody from ending its run.
  const auto ended = store->queue().claim_run("a-run", "one", 1).value();
  ASSERT_TRUE(ended);
  ASSERT_TRUE(store->journal().write(ended->held.hold, ended->run, {}));
}

}  // namespace

}  // namespace vibe::test
