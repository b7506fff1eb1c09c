// Organisations, keys and invitations, in a real file, by several threads and processes.
#include "store/directory.h"

#include <cmath>
#include <thread>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/crypto.h"
#include "store/folder.h"
#include "store/sql.h"
#include "store/sqlite_directory.h"

namespace vibe::test {

using base::Code;
using store::ApiKey;
using store::Directory;
using store::Invite;
using store::Organisation;
using store::Role;

namespace {

constexpr store::Millis kNow = 1'800'000'000'000;

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
  out.id = base::uuid7(kNow);
  out.slug = slug;
  out.name = "The " + slug;
  out.created_at = kNow;
  return out;
}

ApiKey key(const std::string& id, const std::string& organisation) {
  ApiKey out;
  out.id = id;
  out.organisation = organisation;
  out.role = Role::run;
  out.name = "for tests";
  out.hash = "hash of " + id;
  out.created_at = kNow;
  return out;
}

Invite invite(const std::string& id, const std::string& organisation) {
  Invite out;
  out.id = id;
  out.organisation = organisation;
  out.role = Role::admin;
  out.hash = "hash of " + id;
  out.created_at = kNow;
  out.expires_at = kNow + 1000;
  return out;
}

}  // namespace

TEST(Roles, HaveNames) {
  for (const Role role : {Role::read, Role::run, Role::admin})
    EXPECT_EQ(store::role(to_string(role)), role);
  EXPECT_EQ(store::role("owner"), std::nullopt);
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
  ASSERT_TRUE(directory->add_organisation(organisation("a")));
  EXPECT_TRUE(store::has_directory(folder.home()));
  for (const char* file : {"server.db", "server.db-wal", "server.db-shm"}) {
    struct stat status = {};
    ASSERT_EQ(::stat(folder.file(file).c_str(), &status), 0) << file;
    EXPECT_EQ(status.st_mode & 0777U, 0600U) << file;
  }
}

TEST(Directory, KeepsOrganisations) {
  const Folder folder;
  Organisation first = organisation("first"), second = organisation("second");
  second.folder = "../elsewhere";  // is not for the caller to say
  second.is_active = false;
  second.limits = {7, 2, 9, 60, 12.5};
  {
    const auto directory = open(folder);
    EXPECT_TRUE(directory->organisations().value().empty());
    EXPECT_EQ(directory->add_organisation(first).value().folder, "");
    EXPECT_EQ(directory->add_organisation(second).value().folder, "organisations/" + second.id);
  }
  const auto directory = open(folder);
  EXPECT_EQ(directory->organisation("none").value(), std::nullopt);
  for (const auto& name : {second.id, second.slug}) {
    const auto found = directory->organisation(name).value().value();
    EXPECT_EQ(found.id, second.id);
    EXPECT_EQ(found.slug, "second");
    EXPECT_EQ(found.name, "The second");
    EXPECT_EQ(found.folder, "organisations/" + second.id);
    EXPECT_FALSE(found.is_active);
    EXPECT_EQ(found.created_at, kNow);
    EXPECT_EQ(found.limits, second.limits);
    EXPECT_EQ(found.spent, 0);
  }
  const auto all = directory->organisations().value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].slug, "first");
  EXPECT_EQ(all[0].limits, store::Limits());
}

TEST(Directory, HasASlugOnce) {
  const Folder folder;
  const auto directory = open(folder);
  ASSERT_TRUE(directory->add_organisation(organisation("a")));
  const auto again = directory->add_organisation(organisation("a"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().all()[0].code, Code::conflict);
  EXPECT_EQ(directory->organisations().value().size(), 1u);
  EXPECT_TRUE(directory->add_organisation(organisation("b")));  // it goes on
}

TEST(Directory, UpdatesWhatMayChange) {
  const Folder folder;
  const auto directory = open(folder);
  const Organisation added = directory->add_organisation(organisation("a")).value();
  ASSERT_TRUE(directory->charge(added.id, {"run"}, 2.5));
  Organisation changed = added;
  changed.slug = "b";
  changed.name = "Another";
  changed.folder = "x";
  changed.created_at = 1;
  changed.is_active = false;
  changed.spent = 0;
  changed.limits = {1, 2, 3, 4, 5};
  ASSERT_TRUE(directory->update_organisation(changed));
  const auto now = directory->organisation(added.id).value().value();
  EXPECT_EQ(now.slug, "a");
  EXPECT_EQ(now.name, "Another");
  EXPECT_EQ(now.folder, "");
  EXPECT_EQ(now.created_at, kNow);
  EXPECT_FALSE(now.is_active);
  EXPECT_EQ(now.spent, 2.5);
  EXPECT_EQ(now.limits, changed.limits);
  EXPECT_EQ(directory->update_organisation(organisation("c")).error().all()[0].code,
            Code::not_found);
  EXPECT_EQ(directory->charge("none", {"run"}, 1).error().all()[0].code, Code::not_found);
}

TEST(Directory, BeginsOnce) {
  const Folder folder;
  const auto directory = open(folder);
  const Organisation first = organisation("default");
  // A key that cannot be added takes the organisation with it.
  EXPECT_FALSE(directory->begin(first, key("k", "of nobody")));
  EXPECT_TRUE(directory->organisations().value().empty());
  EXPECT_TRUE(directory->begin(first, key("k", first.id)).value());
  const Organisation second = organisation("other");
  EXPECT_FALSE(directory->begin(second, key("l", second.id)).value());
  EXPECT_EQ(directory->organisations().value().size(), 1u);
  EXPECT_EQ(directory->key("k").value()->organisation, first.id);
  EXPECT_EQ(directory->key("l").value(), std::nullopt);
}

TEST(Directory, KeepsKeys) {
  const Folder folder;
  const auto directory = open(folder);
  const std::string a = directory->add_organisation(organisation("a")).value().id;
  const std::string b = directory->add_organisation(organisation("b")).value().id;
  ApiKey first = key("z", a);
  first.expires_at = kNow + 5;
  ASSERT_TRUE(directory->add_key(first));
  ASSERT_TRUE(directory->add_key(key("y", a)));
  ASSERT_TRUE(directory->add_key(key("x", b)));
  EXPECT_FALSE(directory->add_key(key("z", b)));            // an id once
  EXPECT_FALSE(directory->add_key(key("w", "of nobody")));  // of an organisation that is there
  EXPECT_EQ(directory->key("w").value(), std::nullopt);

  const auto keys = directory->keys(a).value();
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].id, "z");  // the oldest
  EXPECT_EQ(keys[1].id, "y");
  EXPECT_EQ(keys[0].organisation, a);
  EXPECT_EQ(keys[0].role, Role::run);
  EXPECT_EQ(keys[0].name, "for tests");
  EXPECT_EQ(keys[0].hash, "hash of z");
  EXPECT_EQ(keys[0].created_at, kNow);
  EXPECT_EQ(keys[0].expires_at, kNow + 5);
  EXPECT_EQ(keys[1].expires_at, std::nullopt);
  EXPECT_EQ(keys[0].last_used_at, std::nullopt);

  ASSERT_TRUE(directory->note_use("z", kNow + 1));
  EXPECT_TRUE(directory->revoke_key("z", kNow + 2).value());
  EXPECT_TRUE(directory->revoke_key("z", kNow + 3).value());
  EXPECT_FALSE(directory->revoke_key("none", kNow).value());
  const auto now = directory->key("z").value().value();
  EXPECT_EQ(now.last_used_at, kNow + 1);
  EXPECT_EQ(now.revoked_at, kNow + 2);  // since then
  EXPECT_EQ(directory->key("y").value()->revoked_at, std::nullopt);
}

TEST(Directory, UsesAnInviteOnceOrNotAtAll) {
  const Folder folder;
  const auto directory = open(folder);
  const std::string a = directory->add_organisation(organisation("a")).value().id;
  ASSERT_TRUE(directory->add_invite(invite("i", a)));
  EXPECT_FALSE(directory->add_invite(invite("j", "of nobody")));
  ASSERT_TRUE(directory->add_key(key("taken", a)));

  EXPECT_FALSE(directory->use_invite("i", key("taken", a), kNow));  // neither: the id is taken
  EXPECT_EQ(directory->invite("i").value()->used_at, std::nullopt);
  EXPECT_TRUE(directory->use_invite("i", key("k", a), kNow + 1).value());
  EXPECT_FALSE(directory->use_invite("i", key("l", a), kNow + 2).value());
  EXPECT_FALSE(directory->use_invite("none", key("l", a), kNow).value());
  EXPECT_EQ(directory->key("l").value(), std::nullopt);
  EXPECT_TRUE(directory->key("k").value());

  const auto all = directory->invites(a).value();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].id, "i");
  EXPECT_EQ(all[0].organisation, a);
  EXPECT_EQ(all[0].role, Role::admin);
  EXPECT_EQ(all[0].hash, "hash of i");
  EXPECT_EQ(all[0].created_at, kNow);
  EXPECT_EQ(all[0].expires_at, kNow + 1000);
  EXPECT_EQ(all[0].used_at, kNow + 1);
}

TEST(Directory, OneOfSeveralProcessesGetsAnInvite) {
  constexpr int kProcesses = 4, kInvites = 10;
  const Folder folder;
  const std::string a = open(folder)->add_organisation(organisation("a")).value().id;
  for (int i = 0; i < kInvites; ++i)
    ASSERT_TRUE(open(folder)->add_invite(invite(std::to_string(i), a)));
  int start[2];
  ASSERT_EQ(::pipe(start), 0);
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      ::close(start[1]);
      char byte = 0;
      static_cast<void>(::read(start[0], &byte, 1));  // until all are there
      const auto directory = store::open_directory(folder.home());
      int won = 0;
      for (int i = 0; directory && i < kInvites; ++i) {
        const auto used =
            (*directory)
                ->use_invite(std::to_string(i),
                             key(std::to_string(process) + "-" + std::to_string(i), a), kNow);
        if (!used) ::_exit(100);
        won += *used ? 1 : 0;
      }
      ::_exit(directory ? won : 101);
    }
    children.push_back(pid);
  }
  ::close(start[0]);
  ::close(start[1]);
  int won = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_LE(WEXITSTATUS(status), kInvites);
    won += WEXITSTATUS(status);
  }
  EXPECT_EQ(won, kInvites);
  EXPECT_EQ(open(folder)->keys(a).value().size(), static_cast<std::size_t>(kInvites));
}

TEST(Directory, LosesNothingThatThreadsSpend) {
  const Folder folder;
  const std::string a = open(folder)->add_organisation(organisation("a")).value().id;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, run = std::to_string(i)] {
      const auto directory = open(folder);
      for (int j = 1; j <= 25; ++j) EXPECT_TRUE(directory->charge(a, {run}, j * 0.25));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(open(folder)->organisation(a).value()->spent, 25);
}

TEST(Directory, ChargesForARunOnceForEachTimeItWasQueued) {
  const Folder folder;
  const auto directory = open(folder);
  const std::string a = directory->add_organisation(organisation("a")).value().id;
  const auto spent = [&] { return directory->organisation(a).value()->spent; };
  for (const double all : {1.0, 1.0, 2.5, 2.0, 2.5})
    ASSERT_TRUE(directory->charge(a, {"one"}, all));
  EXPECT_EQ(spent(), 2.5);
  ASSERT_TRUE(directory->charge(a, {"one", 7}, 0.5));  // queued again
  EXPECT_EQ(spent(), 3);
  ASSERT_TRUE(directory->charge(a, {"two"}, 4));
  EXPECT_EQ(spent(), 7);
  EXPECT_FALSE(directory->charge("none", {"three"}, 4));
  ASSERT_TRUE(directory->charge(a, {"three"}, 4));  // what was refused left nothing behind
  EXPECT_EQ(spent(), 11);
}

TEST(Directory, KeepsTheFirstMarkOfAKey) {
  const Folder folder;
  EXPECT_EQ(open(folder)->key_mark().value(), "");
  EXPECT_EQ(open(folder)->keep_key_mark("one").value(), "one");
  EXPECT_EQ(open(folder)->keep_key_mark("two").value(), "one");
  EXPECT_EQ(open(folder)->key_mark().value(), "one");
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
