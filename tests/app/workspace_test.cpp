// Opens local and remote workspaces.
#include "app/workspace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "app/served_world.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

TEST(Workspace, IsThisMachine) {
  UserHome user;
  user.write_home("config.yaml", "threads: 3\n");
  base::Diagnostics out;
  const auto workspace = open_workspace(out);
  ASSERT_TRUE(workspace) << base::render(out);
  EXPECT_EQ(workspace->config().threads, 3);
  EXPECT_FALSE(workspace->runner().is_detached());
  EXPECT_TRUE(workspace->keeper({})->takes_rubrics());
  EXPECT_TRUE(std::filesystem::exists(user.home() + "/vibecheck.db"));
}

TEST(Workspace, IsTheServerThatTheUserNamed) {
  UserHome user;
  StubServer stub;
  base::Diagnostics out;
  const auto workspace = open_workspace(out, {.server = stub.url()});
  ASSERT_TRUE(workspace) << base::render(out);
  EXPECT_TRUE(workspace->runner().is_detached());
  EXPECT_FALSE(workspace->keeper({})->takes_rubrics());
  EXPECT_TRUE(stub.asked().empty());                   // nothing is sent yet
  EXPECT_FALSE(std::filesystem::exists(user.home()));  // no local store is made
}

TEST(Workspace, WhatIsSaidComesBeforeTheEnvironment) {
  UserHome user;
  user.set("VIBECHECK_API_URL", "http://127.0.0.1:1");
  base::Diagnostics out;
  EXPECT_EQ(open_workspace(out)->config().server, "http://127.0.0.1:1");
  EXPECT_EQ(open_workspace(out, {.server = "http://127.0.0.1:2/"})->config().server,
            "http://127.0.0.1:2");
}

TEST(Workspace, RunsWhoseProcessIsGoneAreMarked) {
  UserHome user;
  score::Run run;
  run.id = base::uuid7(1);
  run.suite_name = "sums";
  run.status = score::RunStatus::running;
  {
    const auto store = *store::open_sqlite(user.home());
    ASSERT_TRUE(store->journal().begin(run));  // the lock ends with the store
  }
  base::Diagnostics out;
  const auto workspace = open_workspace(out);
  ASSERT_TRUE(workspace) << base::render(out);
  EXPECT_EQ((*workspace->archive().runs().find(run.id))->status, score::RunStatus::failed);
}

struct ClosedWorkspace {
  const char* name;
  std::function<void(UserHome&)> change;
  const char* server;
  Code want;
};
class ClosedWorkspaces : public testing::TestWithParam<ClosedWorkspace> {};

TEST_P(ClosedWorkspaces, SayWhy) {
  UserHome user;
  if (GetParam().change) GetParam().change(user);
  for (const auto need : {Need::writing, Need::reading}) {
    base::Diagnostics out;
    EXPECT_FALSE(open_workspace(out, {.server = GetParam().server}, need));
    EXPECT_TRUE(out.has(GetParam().want)) << base::render(out);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Workspace, ClosedWorkspaces,
    testing::Values(
        ClosedWorkspace{"broken_settings",
                        [](UserHome& user) { user.write_home("config.yaml", "threads: x\n"); }, "",
                        Code::wrong_type},
        ClosedWorkspace{"no_address", nullptr, "ftp://a", Code::bad_config},
        ClosedWorkspace{"no_key", [](UserHome& user) { user.set("VIBECHECK_MASTER_KEY", "none"); },
                        "", Code::store_key},
        ClosedWorkspace{
            "damaged_store",
            [](UserHome& user) { user.write_home("vibecheck.db", std::string(5000, 'x')); }, "",
            Code::store_damaged}),
    [](const auto& row) { return row.param.name; });

TEST(OpenServer, NeedsOne) {
  base::Diagnostics out;
  EXPECT_FALSE(open_server({}, out));
  EXPECT_EQ(all_codes(out), Found{Code::bad_usage});
}

TEST(OpenServer, WarnsOfAKeyThatOthersCouldRead) {
  config::Config config;
  config.server = "http://vibe.example.com";
  base::Diagnostics out;
  EXPECT_TRUE(open_server(config, out));
  EXPECT_TRUE(out.empty());  // there is no key
  config.api_key = "vibe_key";
  EXPECT_TRUE(open_server(config, out));
  EXPECT_EQ(all_codes(out), Found{Code::unencrypted_key});
  EXPECT_EQ(base::render(out).find("vibe_key"), std::string::npos);
  out = {};
  config.server = "http://127.0.0.1:1";
  EXPECT_TRUE(open_server(config, out));
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace vibe::app
