// Organisations, keys and invitations, in a real file, by several threads and processes.
#include "store/directory.h"

#include <cmath>

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "base/crypto.h"
#include "store/folder.h"
#include "store/sql.h"
#include "store/sqlite.h"

namespace vibe::test {

using base::Code;
using store::Directory;
using store::Organisation;
using store::Role;

namespace {

std::unique_ptr<Directory> open(const Folder& folder) {
  auto opened = store::open_directory(folder.home());
  if (!opened) {
    ADD_FAILURE() << base::render(opened.error());
    std::abort();
  }
  return std::move(*opened);
}

Organisation organisation(const std::string& slug) {
  Organisation out;
  constexpr store::Millis kThen = 1'800'000'000'000;
  out.id = base::uuid7(kThen);
  out.slug = slug;
  out.name = "The " + slug;
  out.created_at = kThen;
  return out;
}

}  // namespace

TEST(Roles, HaveNames) {
  for (const Role role : {Role::read, Role::run, Role::admin})
    EXPECT_EQ(store::role(to_string(role)), role);
  EXPECT_EQ(store::role("owner"), std::nullopt);
  EXPECT_EQ(store::role(to_string(Role::none)), std::nullopt);
  EXPECT_LT(Role::none, Role::read);
  EXPECT_LT(Role::read, Role::run);
  EXPECT_LT(Role::run, Role::admin);
}

TEST(Credits, AreWhatIsLeft) {
  Organisation one = organisation("a");
  one.spent = 3;
  EXPECT_EQ(credits_left(one), 999'999'999);
  one.limits.credits = 10;
  EXPECT_EQ(credits_left(one), 7);
  one.limits.credits = 2;
  EXPECT_EQ(credits_left(one), 0);
  one.limits.credits = std::nextafter(one.spent, 4);  // what rounding left
  EXPECT_EQ(credits_left(one), 0);
  one.limits.credits = one.spent + 1e-6;
  EXPECT_GT(credits_left(one), 0);
}

TEST(Directory, IsForItsOwnerAlone) {
  const Folder folder;
  EXPECT_FALSE(store::has_directory(folder.home()));
  const auto directory = open(folder);
  ASSERT_TRUE(directory->organisations().add(organisation("a")));
  EXPECT_TRUE(store::has_directory(folder.home()));
  for (const char* file : {"server.db", "server.db-wal", "server.db-shm"}) {
    struct stat status = {};
    ASSERT_EQ(::stat(folder.file(file).c_str(), &status), 0) << file;
    EXPECT_EQ(status.st_mode & 0777U, 0600U) << file;
  }
}

// Of a newer program, or of a damaged file.
TEST(Directory, ARoleThatIsNotKnownAdmitsNothing) {
  const Folder folder;
  const auto directory = open(folder);
  const std::string a = directory->organisations().add(organisation("a")).value().id;
  store::ApiKey key;
  key.id = "k";
  key.organisation = a;
  key.role = Role::admin;
  ASSERT_TRUE(directory->keys().add(key));
  execute(folder.file("server.db"), "UPDATE keys SET role = 'auditor'");
  EXPECT_EQ(directory->keys().find("k").value()->role, Role::none);
}

TEST(Directory, OfANewerVersionIsLeftAlone) {
  const Folder folder;
  open(folder);
  execute(folder.file("server.db"), "INSERT INTO schema_versions VALUES (99, 'later', 0)");
  const auto opened = store::open_directory(folder.home());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().all()[0].code, Code::store_newer);
}

TEST(Directory, ThatIsNoneIsLeftAlone) {
  const Folder folder;
  const std::string nonsense(4096, 'x');
  write_bytes(folder.file("server.db"), nonsense);
  const auto opened = store::open_directory(folder.home());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().all()[0].code, Code::store_damaged);
  EXPECT_EQ(read_bytes(folder.file("server.db")), nonsense);
}

}  // namespace vibe::test
