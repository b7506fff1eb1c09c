// The stores of a server: each organisation sees its own, whatever others ask at the same time; and
// the master key, without which a server with secrets does not start.
#include "app/team/tenants.h"

#include <filesystem>
#include <thread>

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "app/team/master_key.h"
#include "app/team/organisations.h"
#include "store/folder.h"
#include "store/key_file.h"
#include "store/sqlite.h"

namespace vibe::test {

using app::Tenants;
using base::Code;

namespace {

constexpr const char* kVariable = "VIBECHECK_MASTER_KEY";

class TenantsTest : public testing::Test {
 protected:
  TenantsTest() {
    config_.home = folder_.home();
    ::unsetenv(kVariable);
  }
  ~TenantsTest() override { ::unsetenv(kVariable); }

  base::Result<std::unique_ptr<Tenants>> try_open() {
    app::Permissions permissions;
    permissions.files = false;
    permissions.local_models = {"exec:mine"};
    return Tenants::open(config_, permissions);
  }
  std::unique_ptr<Tenants> open() {
    auto opened = try_open();
    if (!opened) {
      ADD_FAILURE() << base::render(opened.error());
      std::abort();
    }
    return *std::move(opened);
  }
  // Expects that it cannot be opened for want of the right key; what it says.
  std::string refusal() {
    const auto opened = try_open();
    if (opened) {
      ADD_FAILURE() << "it was opened";
      return "";
    }
    EXPECT_EQ(opened.error().all()[0].code, Code::store_key);
    return opened.error().all()[0].message;
  }
  static std::string create(Tenants& tenants, const std::string& name) {
    const auto directory = tenants.directory();
    return app::create_organisation(**directory, name, "", {}, 1).value().id;
  }
  static void remember(Tenants& tenants, const std::string& organisation,
                       const std::string& secret) {
    const auto local = tenants.local(organisation);
    ASSERT_TRUE(local);
    ASSERT_TRUE((*local)->store->archive().variables().set_secret("s", secret));
  }

  Folder folder_;
  config::Config config_;
};

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Files in this folder that this process has open, whose name ends like this. Other tests may leave
// some open.
std::size_t open_files(const std::string& folder, std::string_view ending) {
  std::size_t count = 0;
  std::error_code ignored;
  for (const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) {
    const auto path = std::filesystem::read_symlink(one.path(), ignored).string();
    count += path.starts_with(folder) && path.ends_with(ending) ? 1U : 0U;
  }
  return count;
}

}  // namespace

TEST_F(TenantsTest, TheFirstOrganisationHasWhatWasThereBefore) {
  ASSERT_TRUE(folder_.open()->archive().variables().set("team", "blue"));
  ASSERT_TRUE(folder_.open()->archive().variables().set_secret("s", "of before"));
  const auto tenants = open();
  const std::string first = create(*tenants, "first"), second = create(*tenants, "second");
  {
    const auto local = tenants->local(first).value();
    EXPECT_EQ(local->store->archive().variables().find("team").value(), "blue");
    EXPECT_EQ(local->store->vault().open("s").value(), "of before");
    EXPECT_EQ(local->config.home, folder_.home());
    EXPECT_FALSE(local->permissions.files);
    EXPECT_EQ(local->permissions.local_models, std::vector<std::string>{"exec:mine"});
  }
  const auto local = tenants->local(second).value();
  EXPECT_EQ(local->store->archive().variables().find("team").value(), std::nullopt);
  EXPECT_TRUE(local->store->archive().variables().secret_names().value().empty());
  EXPECT_TRUE(std::filesystem::exists(folder_.file("organisations/" + second + "/vibecheck.db")));
  struct stat status = {};
  ASSERT_EQ(::stat(folder_.file("organisations").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST_F(TenantsTest, OrganisationsDoNotSeeEachOther) {
  const auto tenants = open();
  const std::string ids[] = {create(*tenants, "a"), create(*tenants, "b"), create(*tenants, "c")};
  for (const auto& id : ids) {
    ASSERT_TRUE(tenants->local(id).value()->store->archive().variables().set("id", id));
    remember(*tenants, id, "secret of " + id);
  }
  for (const auto& id : ids) {
    const auto local = tenants->local(id).value();
    EXPECT_EQ(local->store->archive().variables().find("id").value(), id);
    EXPECT_EQ(local->store->vault().open("s").value(), "secret of " + id);
  }
}

TEST_F(TenantsTest, OnlyIdsOfTheDirectoryBecomeFolders) {
  const auto tenants = open();
  const std::string id = create(*tenants, "first");
  for (const std::string& name :
       {std::string(), std::string("first"), std::string(".."), std::string("../home"), "./" + id,
        id + "/..", std::string("/etc"), base::uuid7(1), std::string(id.size(), '.')}) {
    const auto local = tenants->local(name);
    ASSERT_FALSE(local) << name;
    EXPECT_EQ(local.error().all()[0].code, Code::not_found) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.file("organisations")));
}

TEST_F(TenantsTest, WhatComesBackIsLentAgain) {
  const auto tenants = open();
  const std::string id = create(*tenants, "a");
  const store::Store* store = nullptr;
  {
    const auto local = tenants->local(id).value();
    store = local->store.get();
    const auto second = tenants->local(id).value();  // at the same time: another
    EXPECT_NE(second->store.get(), store);
  }
  EXPECT_EQ(tenants->local(id).value()->store.get(), store);  // the last one that came back
}

TEST_F(TenantsTest, StoresThatNobodyUsesAreClosed) {
  const auto tenants = open();
  std::vector<std::string> ids;
  for (int i = 0; i < 70; ++i) ids.push_back(create(*tenants, "o" + std::to_string(i)));
  for (const auto& id : ids)
    ASSERT_TRUE(tenants->local(id).value()->store->archive().variables().set("id", id));
  EXPECT_LE(open_files(folder_.home(), "/vibecheck.db"), 64u);
  EXPECT_GT(open_files(folder_.home(), "/vibecheck.db"), 0u);
  for (const auto& id : ids)
    EXPECT_EQ(tenants->local(id).value()->store->archive().variables().find("id").value(), id);
}

TEST_F(TenantsTest, ThreadsShareThem) {
  const auto tenants = open();
  const std::string ids[] = {create(*tenants, "a"), create(*tenants, "b"), create(*tenants, "c")};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 6; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        const std::string& id = ids[static_cast<std::size_t>(thread + i) % 3];
        const auto local = tenants->local(id);
        ASSERT_TRUE(local);
        EXPECT_TRUE((*local)->store->archive().variables().set("id", id));
        EXPECT_EQ((*local)->store->archive().variables().find("id").value(), id);
        const auto directory = tenants->directory();
        ASSERT_TRUE(directory);
        EXPECT_EQ((*directory)->organisations().list().value().size(), 3u);
      }
    });
  for (auto& thread : threads) thread.join();
}

TEST_F(TenantsTest, WhatIsLentMayComeBackTooLate) {
  auto tenants = open();
  const std::string id = create(*tenants, "a");
  auto local = tenants->local(id).value();
  auto directory = tenants->directory().value();
  tenants.reset();
  EXPECT_TRUE(local->store->archive().variables().set("late", "yes"));
  EXPECT_EQ(directory->organisations().list().value().size(), 1u);
}

// ---- the master key

TEST_F(TenantsTest, MakesAKeyFileOnce) {
  const auto key = open()->master_key();
  struct stat status = {};
  ASSERT_EQ(::stat(folder_.file("secret.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(open()->master_key(), key);
  EXPECT_EQ(store::read_key(folder_.file("secret.key")).value(), key);
}

TEST_F(TenantsTest, TakesTheKeyOfTheEnvironment) {
  ::setenv(kVariable, " 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n", 1);
  const auto key = open()->master_key();
  EXPECT_EQ(key[31], 31);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("secret.key")));
  ::setenv(kVariable, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", 1);  // the same
  EXPECT_EQ(open()->master_key(), key);
  ::setenv(kVariable, "hunter2", 1);
  const std::string message = refusal();
  EXPECT_TRUE(says(message, kVariable)) << message;
  EXPECT_FALSE(says(message, "hunter2")) << message;
}

TEST_F(TenantsTest, RefusesToStartWithSecretsButNoKey) {
  ASSERT_TRUE(
      folder_.open()->archive().variables().set_secret("s", "value"));  // before there was a server
  std::filesystem::remove(folder_.file("secret.key"));
  EXPECT_TRUE(says(refusal(), "there is no master key"));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("secret.key")));  // nor is another made
}

TEST_F(TenantsTest, RefusesAKeyThatDoesNotOpenWhatWasThereBefore) {
  ASSERT_TRUE(folder_.open()->archive().variables().set_secret("s", "value"));
  ::setenv(kVariable, std::string(64, 'a').c_str(), 1);
  EXPECT_TRUE(says(refusal(), "cannot decrypt the secrets"));
  ::unsetenv(kVariable);
  open();  // the refused one left no trace
}

TEST_F(TenantsTest, RefusesAKeyThatDoesNotOpenTheSecretsOfAnOrganisation) {
  std::string second;
  {
    const auto tenants = open();
    create(*tenants, "first");
    second = create(*tenants, "second");
    remember(*tenants, second, "value");
  }
  open();
  const std::string folder = folder_.file("organisations/" + second);
  std::filesystem::remove_all(folder);  // another server's takes its place
  ASSERT_TRUE(store::open_sqlite(folder, {.key = base::random_key()})
                  .value()
                  ->archive()
                  .variables()
                  .set_secret("s", "v"));
  const std::string message = refusal();
  EXPECT_TRUE(says(message, "cannot decrypt the secrets of organisation `second`")) << message;
}

TEST_F(TenantsTest, RefusesAKeyThatKeysWereNotMadeWith) {
  {
    const auto tenants = open();
    const auto directory = tenants->directory();
    ASSERT_TRUE(app::begin_server(**directory, tenants->master_key(), 1).value());
  }
  ::setenv(kVariable, std::string(64, 'a').c_str(), 1);
  EXPECT_TRUE(says(refusal(), "is not the one this server's keys were hashed with"));
  ::unsetenv(kVariable);
  std::filesystem::remove(folder_.file("secret.key"));
  EXPECT_TRUE(says(refusal(), "there is no master key"));
}

TEST_F(TenantsTest, AKeyFileThatOthersMayReadIsRefused) {
  open();
  ::chmod(folder_.file("secret.key").c_str(), 0644);
  EXPECT_TRUE(says(refusal(), "other users can read"));
}

TEST(KeyFile, AllWhoMakeItAtOnceGetTheSame) {
  const Folder folder;
  std::filesystem::create_directories(folder.home());
  std::vector<base::SealKey> keys(8);
  std::vector<std::thread> threads;
  for (auto& key : keys)
    threads.emplace_back([&] { key = store::make_key(folder.file("secret.key")).value(); });
  for (auto& thread : threads) thread.join();
  for (const auto& key : keys) EXPECT_EQ(key, keys[0]);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.home()), {}), 1);
}

}  // namespace vibe::test
