// Who may use a server: keys that are right, wrong, expired or revoked; invitations.
#include "app/team/organisations.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "store/folder.h"
#include "store/sql.h"
#include "store/sqlite.h"

namespace vibe::test {

using base::Code;
using store::Role;

namespace {

constexpr store::Millis kNow = 1'800'000'000'000, kMinute = 60'000;

class Organisations : public testing::Test {
 protected:
  std::unique_ptr<store::Directory> open() const {
    return std::move(store::open_directory(folder_.home()).value());
  }
  store::Organisation create(const std::string& name) {
    return app::create_organisation(*directory_, name, "", {}, kNow).value();
  }
  app::NewKey make_key(const store::Organisation& organisation, Role role = Role::run,
                       std::optional<store::Millis> expires_at = std::nullopt) {
    return app::create_key(*directory_, master_, organisation, role, "", expires_at, kNow).value();
  }
  std::optional<app::Caller> check(std::string_view text, store::Millis now = kNow) {
    return app::check_key(*directory_, master_, text, now).value();
  }
  app::NewInvite make_invite(const store::Organisation& organisation) {
    return app::create_invite(*directory_, master_, organisation, Role::run, kNow + kMinute, kNow)
        .value();
  }
  base::Result<app::Redeemed> redeem(std::string_view code, store::Millis now = kNow) {
    return app::redeem_invite(*directory_, master_, code, now);
  }

  Folder folder_;
  std::unique_ptr<store::Directory> directory_ = open();
  base::SealKey master_ = base::random_key();
};

struct NameCase {
  std::string name, slug;  // as they are given
  std::string want;        // the slug; or a part of the message
};

}  // namespace

TEST_F(Organisations, HaveSlugs) {
  const NameCase cases[] = {
      {"Search", "", "search"},
      {"  ACME & Sons, Ltd.  ", "", "acme-sons-ltd"},
      {"Zürich 2", "", "z-rich-2"},
      {"日本", "tokyo", "tokyo"},
      {std::string(100, 'a') + " b", "", std::string(63, 'a')},
      {"x", "0-1", "0-1"},
  };
  for (const auto& each : cases) {
    const auto made = app::create_organisation(*directory_, each.name, each.slug, {}, kNow);
    ASSERT_TRUE(made) << each.name;
    EXPECT_EQ(made->slug, each.want);
    EXPECT_EQ(directory_->organisations().find(each.want).value()->id, made->id);
  }
}

TEST_F(Organisations, WithBadNamesAreRefused) {
  const NameCase cases[] = {
      {"", "a", "cannot be empty"},
      {" \t", "a", "cannot be empty"},
      {"two\nlines", "a", "unprintable character"},
      {"\xff", "a", "unprintable character"},
      {"\xe2\x80\xae reversed", "a", "unprintable character"},
      {std::string(201, 'x'), "a", "201 bytes"},
      {"日本", "", "no slug can be made"},
      {"x", "Upper", "`Upper` cannot be a slug"},
      {"x", "a b", "cannot be a slug"},
      {"x", "-a", "cannot be a slug"},
      {"x", "a-", "cannot be a slug"},
      {"x", "../a", "cannot be a slug"},
      {"x", std::string(64, 'a'), "cannot be a slug"},
      {"x", "01234567-89ab-7def-8123-456789abcdef", "cannot be a slug"},
  };
  for (const auto& each : cases) {
    const auto made = app::create_organisation(*directory_, each.name, each.slug, {}, kNow);
    ASSERT_FALSE(made) << each.name << each.slug;
    EXPECT_EQ(made.error().all()[0].code, Code::bad_usage);
    EXPECT_NE(made.error().all()[0].message.find(each.want), std::string::npos)
        << made.error().all()[0].message;
  }
  EXPECT_TRUE(directory_->organisations().list().value().empty());
}

TEST_F(Organisations, AreFoundOrTheNearestIsNamed) {
  const auto search = create("search");
  EXPECT_EQ(app::find_organisation(*directory_, "search")->id, search.id);
  EXPECT_EQ(app::find_organisation(*directory_, search.id)->id, search.id);
  const auto near = app::find_organisation(*directory_, "serach");
  ASSERT_FALSE(near);
  EXPECT_EQ(near.error().all()[0].code, Code::not_found);
  EXPECT_EQ(near.error().all()[0].hint, "did you mean `search`?");
}

TEST_F(Organisations, AFirstStartMakesOneWithAnAdminKey) {
  const auto first = app::begin_server(*directory_, master_, kNow).value();
  ASSERT_TRUE(first);
  const auto caller = check(first->text);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->key.role, Role::admin);
  EXPECT_EQ(caller->organisation.slug, "default");
  EXPECT_TRUE(caller->organisation.is_operator);
  EXPECT_FALSE(app::begin_server(*directory_, master_, kNow).value());
  EXPECT_EQ(directory_->organisations().list().value().size(), 1u);
  EXPECT_EQ(directory_->keys().list(caller->organisation.id).value().size(), 1u);
}

TEST_F(Organisations, TwoFirstStartsMakeOne) {
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      const auto directory = open();
      made += app::begin_server(*directory, master_, kNow).value() ? 1 : 0;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(directory_->organisations().list().value().size(), 1u);
}

TEST_F(Organisations, AKeyTellsWhoseItIs) {
  const auto a = create("a"), b = create("b");
  const auto of_a = make_key(a, Role::read), of_b = make_key(b, Role::admin);
  EXPECT_EQ(of_a.text.substr(0, 16), "vibe_" + of_a.key.id + "_");
  EXPECT_EQ(of_a.text.size(), 68u);
  EXPECT_EQ(check(of_a.text)->organisation.slug, "a");
  EXPECT_EQ(check(of_a.text)->key.role, Role::read);
  EXPECT_EQ(check(of_b.text)->organisation.slug, "b");
  EXPECT_EQ(check(of_b.text)->key.role, Role::admin);
}

TEST_F(Organisations, AKeyThatIsNotRightInEveryLetterIsNone) {
  const auto made = make_key(create("a"));
  for (std::size_t i = 0; i < made.text.size(); ++i) {
    std::string changed = made.text;
    changed[i] = changed[i] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(check(changed)) << changed;
    EXPECT_FALSE(check(made.text.substr(0, i)));
  }
  for (const auto& text : {made.text + "x", " " + made.text, std::string("vibe_"), std::string("_"),
                           "vibe_" + made.key.id + "_", made.key.hash, made.key.id,
                           std::string(1 << 20, 'x'), std::string("vibe_\0", 6)})
    EXPECT_FALSE(check(text)) << text.substr(0, 100);
  EXPECT_FALSE(app::check_key(*directory_, base::random_key(), made.text, kNow).value());
}

TEST_F(Organisations, KeysAreKeptAsHashes) {
  const auto organisation = create("a");
  const auto made = make_key(organisation);
  const auto invite = make_invite(organisation);
  const std::string secret = made.text.substr(16), code = invite.code.substr(18);
  ASSERT_EQ(secret.size(), 52u);
  ASSERT_EQ(code.size(), 52u);
  for (const char* file : {"server.db", "server.db-wal"}) {
    const std::string bytes = read_bytes(folder_.file(file));
    EXPECT_EQ(bytes.find(secret), std::string::npos);
    EXPECT_EQ(bytes.find(code), std::string::npos);
  }
  // With a key: without it, a text that is guessed cannot be tried.
  EXPECT_NE(made.key.hash, base::hash(made.text));
  EXPECT_NE(made.key.hash, base::keyed_hash(master_, made.text));
}

TEST_F(Organisations, AKeyEnds) {
  const auto organisation = create("a");
  const auto expiring = make_key(organisation, Role::run, kNow + 10);
  EXPECT_TRUE(check(expiring.text, kNow + 9));
  EXPECT_FALSE(check(expiring.text, kNow + 10));

  const auto revoked = make_key(organisation), other = make_key(organisation);
  ASSERT_TRUE(app::revoke_key(*directory_, revoked.key.id, kNow));
  EXPECT_FALSE(check(revoked.text));
  EXPECT_TRUE(check(other.text));

  store::Organisation suspended = organisation;
  suspended.is_active = false;
  ASSERT_TRUE(directory_->organisations().update(suspended));
  EXPECT_FALSE(check(other.text));
  suspended.is_active = true;
  ASSERT_TRUE(directory_->organisations().update(suspended));
  EXPECT_TRUE(check(other.text));
}

TEST_F(Organisations, RevokingSaysWhatIsWrongWithAnId) {
  const auto made = make_key(create("a"));
  std::string near = made.key.id;
  near[0] = near[0] == 'x' ? 'y' : 'x';
  const auto nearly = app::revoke_key(*directory_, near, kNow);
  ASSERT_FALSE(nearly);
  EXPECT_EQ(nearly.error().all()[0].hint, "did you mean `" + made.key.id + "`?");
  const auto whole = app::revoke_key(*directory_, made.text, kNow);
  ASSERT_FALSE(whole);
  EXPECT_EQ(whole.error().all()[0].code, Code::not_found);
  EXPECT_EQ(whole.error().all()[0].message.find(made.text), std::string::npos);
  EXPECT_EQ(whole.error().all()[0].hint, "the id of that key is `" + made.key.id + "`");
  EXPECT_TRUE(check(made.text));
}

TEST_F(Organisations, AUseIsNotedOnceAMinute) {
  const auto made = make_key(create("a"));
  const auto last_used = [&] { return directory_->keys().find(made.key.id).value()->last_used_at; };
  EXPECT_EQ(last_used(), std::nullopt);
  check(made.text, kNow);
  EXPECT_EQ(last_used(), kNow);
  check(made.text, kNow + kMinute - 1);
  EXPECT_EQ(last_used(), kNow);
  check(made.text, kNow + kMinute);
  EXPECT_EQ(last_used(), kNow + kMinute);
  check(made.text, kNow);  // the clock was set back
  EXPECT_EQ(last_used(), kNow + kMinute);
  check("vibe_" + made.key.id + "_" + std::string(52, 'x'), kNow + 9 * kMinute);
  EXPECT_EQ(last_used(), kNow + kMinute);  // who does not have it does not use it
}

TEST_F(Organisations, AnInvitationGivesOneKey) {
  const auto organisation = create("a");
  const auto invite = make_invite(organisation);
  const auto redeemed = redeem("  " + invite.code + "\n");
  ASSERT_TRUE(redeemed);
  EXPECT_EQ(redeemed->organisation.id, organisation.id);
  const auto caller = check(redeemed->key.text);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->key.role, Role::run);
  EXPECT_EQ(caller->key.name, "invitation " + invite.invite.id);

  const auto again = redeem(invite.code);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().all()[0].code, Code::bad_usage);
  EXPECT_NE(again.error().all()[0].message.find("already been used"), std::string::npos);
  EXPECT_EQ(directory_->keys().list(organisation.id).value().size(), 1u);
}

TEST_F(Organisations, AnInvitationThatIsNoneIsRefused) {
  const auto organisation = create("a");
  const auto invite = make_invite(organisation);
  const auto key = make_key(organisation);
  const auto expired = redeem(invite.code, kNow + kMinute);
  ASSERT_FALSE(expired);
  EXPECT_EQ(expired.error().all()[0].code, Code::bad_usage);
  EXPECT_NE(expired.error().all()[0].message.find("expired"), std::string::npos);

  std::string wrong = invite.code;
  wrong.back() = wrong.back() == 'x' ? 'y' : 'x';
  for (const auto& code : {std::string(), wrong, key.text, invite.invite.id, invite.invite.hash,
                           "vibe" + invite.code.substr(6)}) {
    const auto refused = redeem(code);
    ASSERT_FALSE(refused) << code;
    EXPECT_EQ(refused.error().all()[0].code, Code::not_found) << code;
  }
  store::Organisation suspended = organisation;
  suspended.is_active = false;
  ASSERT_TRUE(directory_->organisations().update(suspended));
  EXPECT_EQ(redeem(invite.code).error().all()[0].code, Code::bad_usage);
  EXPECT_EQ(directory_->keys().find_invite(invite.invite.id).value()->used_at, std::nullopt);
  EXPECT_EQ(directory_->keys().list(organisation.id).value().size(), 1u);
  EXPECT_FALSE(check(invite.code));  // a code is no key
}

// It is not used up for a key that admits nothing.
TEST_F(Organisations, AnInvitationWithAnUnknownRoleIsRefused) {
  const auto invite = make_invite(create("a"));
  execute(folder_.file("server.db"), "UPDATE invites SET role = 'auditor'");
  EXPECT_EQ(redeem(invite.code).error().all()[0].code, Code::bad_usage);
  execute(folder_.file("server.db"), "UPDATE invites SET role = 'run'");
  EXPECT_TRUE(redeem(invite.code));
}

TEST_F(Organisations, OneOfManyWinsAnInvitation) {
  const auto organisation = create("a");
  const auto invite = make_invite(organisation);
  std::atomic<int> won = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      const auto directory = open();
      won += app::redeem_invite(*directory, master_, invite.code, kNow) ? 1 : 0;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(directory_->keys().list(organisation.id).value().size(), 1u);
}

}  // namespace vibe::test
