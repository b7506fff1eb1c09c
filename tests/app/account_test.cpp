// Tests that a client can look up its account and redeem an invitation.
#include "app/team/account.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "app/served_world.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

TEST(Account, IsAsTheServerTellsIt) {
  StubServer stub;
  stub.answer("GET /api/orginfo",
              R"({"name": "Search", "slug": "search", "status": "active", "role": "run",)"
              R"("credits": 1.5, "spent": 0.5, "created_at": "2026-03-02T10:00:00Z"})");
  const auto found = account(*stub.server);
  ASSERT_TRUE(found) << base::render(found.error());
  EXPECT_EQ(found->name, "Search");
  EXPECT_EQ(found->slug, "search");
  EXPECT_EQ(found->status, "active");
  EXPECT_EQ(found->role, "run");
  EXPECT_EQ(found->credits, 1.5);
  EXPECT_EQ(found->spent, 0.5);
  EXPECT_EQ(found->created_at, 1772445600000);
}

TEST(Account, WithoutALimitThereAreNoCreditsLeftToTell) {
  StubServer stub;
  stub.answer("GET /api/orginfo", R"({"credits": 999999999, "unlimited": true})");
  EXPECT_EQ(account(*stub.server)->credits, std::nullopt);
  stub.answer("GET /api/orginfo", R"({"credits": 0, "unlimited": false})");
  EXPECT_EQ(account(*stub.server)->credits, 0);  // 0 is a limit
}

TEST(Account, ARefusedKeyIsSaid) {
  StubServer stub;
  stub.answer("GET /api/orginfo", R"({"error": "no"})", 401);
  EXPECT_EQ(all_codes(account(*stub.server).error()), Found{Code::refused_key});
}

TEST(Account, OfARealServer) {
  ServedWorld served;
  const auto found = account(*served.server);
  ASSERT_TRUE(found) << base::render(found.error());
  EXPECT_EQ(found->slug, "default");
  EXPECT_EQ(found->role, "admin");
  EXPECT_EQ(found->credits, std::nullopt);
  EXPECT_TRUE(found->created_at);
}

// ---- invitations

struct Invited : UserHome {
  StubServer stub;

  Invited() {
    stub.answer("POST /api/invites/redeem",
                R"({"apiKey": "vibe_id_secret", "org": {"name": "Search"}})");
  }
  std::string file() const { return home() + "/.env"; }
  base::Result<Joined> join(const std::pair<std::string, std::string>& variable = {}) {
    return redeem(*stub.server, home(), "code", variable);
  }
};

TEST(Redeem, KeepsTheKeyWithTheAddressOfItsServer) {
  Invited world;
  const auto joined = world.join();
  ASSERT_TRUE(joined) << base::render(joined.error());
  EXPECT_EQ(joined->organisation, "Search");
  EXPECT_EQ(joined->file, world.file());
  EXPECT_EQ(joined->server, world.stub.url());
  EXPECT_FALSE(joined->has_replaced || joined->is_hidden);
  const auto text = test::read_bytes(world.file());
  EXPECT_NE(text.find("VIBECHECK_API_KEY=vibe_id_secret\n"), std::string::npos) << text;
  EXPECT_NE(text.find("VIBECHECK_API_URL=" + world.stub.url() + "\n"), std::string::npos) << text;
  struct stat found{};
  ASSERT_EQ(::stat(world.file().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0077, 0u);  // others may not read it
  EXPECT_EQ(world.stub.asked("POST /api/invites/redeem").at(0).body, R"({"code":"code"})");
}

TEST(Redeem, WhatElseIsInTheFileStays) {
  Invited world;
  world.write_home(".env", "# mine\nOPENAI_API_KEY=sk\nexport VIBECHECK_API_KEY = old\nLAST=1");
  const auto joined = world.join();
  ASSERT_TRUE(joined);
  EXPECT_TRUE(joined->has_replaced);
  const auto text = test::read_bytes(world.file());
  EXPECT_TRUE(text.starts_with("# mine\nOPENAI_API_KEY=sk\nLAST=1\n")) << text;
  EXPECT_EQ(text.find("old"), std::string::npos);
  ASSERT_TRUE(world.join());
  EXPECT_EQ(test::read_bytes(world.file()), text);  // redeeming again does not duplicate the key
}

TEST(Redeem, SaysWhatHidesTheKey) {
  Invited world;
  world.set("VIBECHECK_API_KEY", "another");
  auto joined = world.join({"VIBECHECK_API_URL", "https://elsewhere.example"});
  ASSERT_TRUE(joined);
  EXPECT_TRUE(joined->is_hidden);
  EXPECT_EQ(joined->hidden_by, "VIBECHECK_API_URL");
  joined = world.join({"VIBECHECK_API_URL", world.stub.url() + "/"});  // the same server
  EXPECT_EQ(joined->hidden_by, "");
}

TEST(Redeem, NothingIsAskedWhereTheKeyCouldNotBeKept) {
  Invited world;
  test::write_bytes(world.home(), "a file in the place of the folder");
  const auto joined = world.join();
  ASSERT_FALSE(joined);
  EXPECT_TRUE(world.stub.asked().empty());  // the invitation is still good
}

struct RefusedInvite {
  const char* name;
  int status;
  const char* body;
  Code want;
};
class RefusedInvites : public testing::TestWithParam<RefusedInvite> {};

TEST_P(RefusedInvites, ChangeNothing) {
  Invited world;
  world.write_home(".env", "VIBECHECK_API_KEY=old\n");
  world.stub.answer("POST /api/invites/redeem", GetParam().body, GetParam().status);
  const auto joined = world.join();
  ASSERT_FALSE(joined);
  EXPECT_EQ(all_codes(joined.error()), Found{GetParam().want}) << base::render(joined.error());
  EXPECT_EQ(test::read_bytes(world.file()), "VIBECHECK_API_KEY=old\n");
  const std::filesystem::directory_iterator home(world.home());
  EXPECT_EQ(std::distance(begin(home), end(home)), 1);  // no draft is left
}

INSTANTIATE_TEST_SUITE_P(
    Redeem, RefusedInvites,
    testing::Values(RefusedInvite{"unknown", 404, R"({"error": "no"})", Code::not_found},
                    RefusedInvite{"no_key", 200, R"({"ok": true})", Code::strange_server},
                    RefusedInvite{"key_of_two_lines", 200, R"({"apiKey": "a\nPATH=/evil"})",
                                  Code::strange_server},
                    RefusedInvite{"used_up", 410, R"({"error": "used"})", Code::refused_by_server}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace vibe::app
