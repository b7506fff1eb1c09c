// What every backend has to do with organisations, keys and invitations, and with accounts.
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "base/diagnostic.h"
#include "store/conformance.h"

namespace vibe::test {

using base::Code;
using store::ApiKey;
using store::Invite;
using store::Organisation;
using store::Role;

namespace {

constexpr store::Millis kNow = 1'800'000'000'000;

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

TEST_P(DirectoryConformance, KeepsOrganisations) {
  Organisation first = organisation_with("first"), second = organisation_with("second");
  second.is_operator = true;  // is not for the caller to say
  second.is_active = false;
  second.limits = {7, 2, 9, 60, 12.5};
  {
    const auto directory = this->directory();
    EXPECT_TRUE(directory->organisations().list().value().empty());
    EXPECT_TRUE(directory->organisations().add(first).value().is_operator);
    EXPECT_FALSE(directory->organisations().add(second).value().is_operator);
  }
  const auto directory = this->directory();
  EXPECT_EQ(directory->organisations().find("none").value(), std::nullopt);
  for (const auto& name : {second.id, second.slug}) {
    const auto found = directory->organisations().find(name).value().value();
    EXPECT_EQ(found.id, second.id);
    EXPECT_EQ(found.slug, "second");
    EXPECT_EQ(found.name, "The second");
    EXPECT_FALSE(found.is_operator);
    EXPECT_FALSE(found.is_active);
    EXPECT_EQ(found.created_at, kNow);
    EXPECT_EQ(found.limits, second.limits);
    EXPECT_EQ(found.spent, 0);
  }
  const auto all = directory->organisations().list().value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].slug, "first");
  EXPECT_EQ(all[0].limits, store::Limits());
}

TEST_P(DirectoryConformance, HasASlugOnce) {
  const auto directory = this->directory();
  ASSERT_TRUE(directory->organisations().add(organisation_with("a")));
  const auto again = directory->organisations().add(organisation_with("a"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().all()[0].code, Code::conflict);
  EXPECT_EQ(directory->organisations().list().value().size(), 1u);
  EXPECT_TRUE(directory->organisations().add(organisation_with("b")));  // it goes on
}

TEST_P(DirectoryConformance, UpdatesWhatMayChange) {
  const auto directory = this->directory();
  const Organisation added = directory->organisations().add(organisation_with("a")).value();
  ASSERT_TRUE(backend().accounts().value()->charge(added.id, {"run"}, 2.5));
  Organisation changed = added;
  changed.slug = "b";
  changed.name = "Another";
  changed.is_operator = false;
  changed.created_at = 1;
  changed.is_active = false;
  changed.spent = 0;
  changed.limits = {1, 2, 3, 4, 5};
  ASSERT_TRUE(directory->organisations().update(changed));
  const auto now = directory->organisations().find(added.id).value().value();
  EXPECT_EQ(now.slug, "a");
  EXPECT_EQ(now.name, "Another");
  EXPECT_TRUE(now.is_operator);
  EXPECT_EQ(now.created_at, kNow);
  EXPECT_FALSE(now.is_active);
  EXPECT_EQ(now.spent, 2.5);
  EXPECT_EQ(now.limits, changed.limits);
  EXPECT_EQ(directory->organisations().update(organisation_with("c")).error().all()[0].code,
            Code::not_found);
}

TEST_P(DirectoryConformance, BeginsOnce) {
  const auto directory = this->directory();
  const Organisation first = organisation_with("default");
  // A key that cannot be added takes the organisation with it.
  EXPECT_FALSE(directory->organisations().begin(first, key("k", "of nobody")));
  EXPECT_TRUE(directory->organisations().list().value().empty());
  EXPECT_TRUE(directory->organisations().begin(first, key("k", first.id)).value());
  const Organisation second = organisation_with("other");
  EXPECT_FALSE(directory->organisations().begin(second, key("l", second.id)).value());
  EXPECT_EQ(directory->organisations().list().value().size(), 1u);
  EXPECT_EQ(directory->keys().find("k").value()->organisation, first.id);
  EXPECT_EQ(directory->keys().find("l").value(), std::nullopt);
}

TEST_P(DirectoryConformance, KeepsKeys) {
  const auto directory = this->directory();
  const std::string a = directory->organisations().add(organisation_with("a")).value().id;
  const std::string b = directory->organisations().add(organisation_with("b")).value().id;
  ApiKey first = key("z", a);
  first.expires_at = kNow + 5;
  ASSERT_TRUE(directory->keys().add(first));
  ASSERT_TRUE(directory->keys().add(key("y", a)));
  ASSERT_TRUE(directory->keys().add(key("x", b)));
  EXPECT_FALSE(directory->keys().add(key("z", b)));            // an id once
  EXPECT_FALSE(directory->keys().add(key("w", "of nobody")));  // of an organisation that is there
  EXPECT_EQ(directory->keys().find("w").value(), std::nullopt);

  const auto keys = directory->keys().list(a).value();
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

  ASSERT_TRUE(directory->keys().note_use("z", kNow + 1));
  EXPECT_TRUE(directory->keys().revoke("z", kNow + 2).value());
  EXPECT_TRUE(directory->keys().revoke("z", kNow + 3).value());
  EXPECT_FALSE(directory->keys().revoke("none", kNow).value());
  const auto now = directory->keys().find("z").value().value();
  EXPECT_EQ(now.last_used_at, kNow + 1);
  EXPECT_EQ(now.revoked_at, kNow + 2);  // since then
  EXPECT_EQ(directory->keys().find("y").value()->revoked_at, std::nullopt);
}

TEST_P(DirectoryConformance, UsesAnInviteOnceOrNotAtAll) {
  const auto directory = this->directory();
  const std::string a = directory->organisations().add(organisation_with("a")).value().id;
  ASSERT_TRUE(directory->keys().add_invite(invite("i", a)));
  EXPECT_FALSE(directory->keys().add_invite(invite("j", "of nobody")));
  ASSERT_TRUE(directory->keys().add(key("taken", a)));

  EXPECT_FALSE(
      directory->keys().use_invite("i", key("taken", a), kNow));  // neither: the id is taken
  EXPECT_EQ(directory->keys().find_invite("i").value()->used_at, std::nullopt);
  EXPECT_TRUE(directory->keys().use_invite("i", key("k", a), kNow + 1).value());
  EXPECT_FALSE(directory->keys().use_invite("i", key("l", a), kNow + 2).value());
  EXPECT_FALSE(directory->keys().use_invite("none", key("l", a), kNow).value());
  EXPECT_EQ(directory->keys().find("l").value(), std::nullopt);
  EXPECT_TRUE(directory->keys().find("k").value());

  const auto all = directory->keys().list_invites(a).value();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].id, "i");
  EXPECT_EQ(all[0].organisation, a);
  EXPECT_EQ(all[0].role, Role::admin);
  EXPECT_EQ(all[0].hash, "hash of i");
  EXPECT_EQ(all[0].created_at, kNow);
  EXPECT_EQ(all[0].expires_at, kNow + 1000);
  EXPECT_EQ(all[0].used_at, kNow + 1);
}

TEST_P(DirectoryConformance, OneOfSeveralProcessesGetsAnInvite) {
  constexpr int kProcesses = 4, kInvites = 10;
  const std::string a = directory()->organisations().add(organisation_with("a")).value().id;
  for (int i = 0; i < kInvites; ++i)
    ASSERT_TRUE(directory()->keys().add_invite(invite(std::to_string(i), a)));
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
      const auto directory = backend().directory();
      int won = 0;
      for (int i = 0; directory && i < kInvites; ++i) {
        const auto used =
            (*directory)
                ->keys()
                .use_invite(std::to_string(i),
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
  EXPECT_EQ(directory()->keys().list(a).value().size(), static_cast<std::size_t>(kInvites));
}

TEST_P(AccountsConformance, LosesNothingThatThreadsSpend) {
  const std::string a = directory()->organisations().add(organisation_with("a")).value().id;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, run = std::to_string(i)] {
      const auto accounts = backend().accounts().value();
      for (int j = 1; j <= 25; ++j) EXPECT_TRUE(accounts->charge(a, {run}, j * 0.25));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(directory()->organisations().find(a).value()->spent, 25);
}

TEST_P(AccountsConformance, ChargesForARunOnceForEachTimeItWasQueued) {
  Organisation with_credits = organisation_with("a");
  with_credits.limits.credits = 20;
  const std::string a = directory()->organisations().add(with_credits).value().id;
  const auto accounts = backend().accounts().value();
  const auto spent = [&] { return accounts->balance(a).value().spent; };
  EXPECT_EQ(spent(), 0);
  EXPECT_EQ(accounts->balance(a).value().credits, 20);
  for (const double all : {1.0, 1.0, 2.5, 2.0, 2.5}) ASSERT_TRUE(accounts->charge(a, {"one"}, all));
  EXPECT_EQ(spent(), 2.5);
  EXPECT_EQ(accounts->charge(a, {"one", 7}, 0.5).value(), 0.5);  // queued again
  EXPECT_EQ(spent(), 3);
  EXPECT_EQ(accounts->charge(a, {"two"}, 4).value(), 4);
  EXPECT_EQ(spent(), 7);
  EXPECT_TRUE(has_code(accounts->charge("none", {"three"}, 4).error(), Code::not_found));
  EXPECT_EQ(accounts->charge(a, {"three"}, 4).value(), 4);  // what was refused left nothing behind
  EXPECT_EQ(spent(), 11);
  EXPECT_EQ(directory()->organisations().find(a).value()->spent, 11);
  EXPECT_TRUE(has_code(accounts->balance("none").error(), Code::not_found));
}

TEST_P(AccountsConformance, SeveralProcessesLoseNothing) {
  constexpr int kProcesses = 8, kCharges = 20;
  const std::string a = directory()->organisations().add(organisation_with("a")).value().id;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      const auto accounts = backend().accounts();
      const std::string run = std::to_string(process);
      bool is_fine = accounts.has_value();
      for (int i = 1; is_fine && i <= kCharges; ++i)
        is_fine = (*accounts)->charge(a, {run}, i).has_value();
      ::_exit(is_fine ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(backend().accounts().value()->balance(a).value().spent, kProcesses * kCharges);
}

TEST_P(DirectoryConformance, KeepsTheFirstMarkOfAKey) {
  EXPECT_EQ(directory()->key_mark().value(), "");
  EXPECT_EQ(directory()->keep_key_mark("one").value(), "one");
  EXPECT_EQ(directory()->keep_key_mark("two").value(), "one");
  EXPECT_EQ(directory()->key_mark().value(), "one");
}

TEST_P(DirectoryConformance, HintsReachThoseWhoListen) {
  std::vector<std::string> heard;
  auto listening = backend().events().subscribe(
      [&](const store::Event& event) { heard.emplace_back(event.run); });
  backend().events().publish({store::Event::Kind::changed, "a", "one"});
  EXPECT_EQ(heard, std::vector<std::string>{"one"});
  listening.reset();
  backend().events().publish({store::Event::Kind::queued, "a", "two"});
  EXPECT_EQ(heard.size(), 1u);
}

TEST_P(DirectoryConformance, EachOrganisationHasAStoreOfItsOwn) {
  std::vector<std::unique_ptr<store::Store>> stores;
  for (const char* slug : {"a", "b"}) {
    const auto added = directory()->organisations().add(organisation_with(slug));
    stores.push_back(backend().store(added->id).value());
    ASSERT_TRUE(stores.back()->archive().variables().set("slug", slug));
  }
  EXPECT_EQ(stores[0]->archive().variables().find("slug").value(), "a");
  EXPECT_EQ(stores[1]->archive().variables().find("slug").value(), "b");
  for (const std::string& id : {std::string("none"), organisation_with("c").id})
    EXPECT_TRUE(has_code(backend().store(id).error(), Code::not_found)) << id;
}

}  // namespace vibe::test
