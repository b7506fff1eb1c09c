// Chooses the tool server of a run.
#include "app/runs/tools.h"

#include <gtest/gtest.h>

#include "app/world.h"
#include "run/world.h"

namespace vibe::app {
namespace {

using base::Code;

constexpr const char* kNoTools =
    "metadata: {name: s, model: m/n}\nevals: [{prompt: p, checks: [match: a]}]\n";
constexpr const char* kTools =
    "metadata:\n  name: s\n  model: m/n\n"
    "  mcp_server: {url: 'https://suite.example/mcp', name: mine, authorization_token: "
    "\"{{secret('t')}}\"}\n"
    "evals: [{prompt: p, checks: [match: a]}]\n";

struct ToolChoice {
  run::World world;
  std::optional<run::Plan> plan;
  config::Config config;
  Permissions permissions;
  base::Diagnostics out;

  explicit ToolChoice(const char* suite) : world(suite) {
    plan = world.plan({}, {{"host", "filled.example"}}, {{"t", "sesame"}});
  }
  std::optional<model::ToolServerSettings> choose(const ToolsRequest& request) {
    return tool_server(request, *plan, config, permissions, out);
  }
};

TEST(Tools, WithoutAServerThereAreNone) {
  ToolChoice world(kNoTools);
  EXPECT_FALSE(world.choose({}));
  EXPECT_TRUE(world.out.empty());
}

TEST(Tools, ANameOrATokenNeedsAServer) {
  ToolChoice world(kNoTools);
  ToolsRequest request;
  request.name = "n";
  EXPECT_FALSE(world.choose(request));
  EXPECT_EQ(all_codes(world.out), Found{Code::bad_usage});
}

TEST(Tools, ThoseOfTheSuiteAreFilled) {
  ToolChoice world(kTools);
  const auto found = world.choose({});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->url, "https://suite.example/mcp");
  EXPECT_EQ(found->name, "mine");
  EXPECT_EQ(found->token, "sesame");
}

TEST(Tools, ATokenGoesToTheServerThatItWasMeantFor) {
  ToolChoice world(kTools);
  ToolsRequest request;
  request.url = "https://{{var('host')}}/mcp";
  auto found = world.choose(request);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->url, "https://filled.example/mcp");
  EXPECT_EQ(found->token, "");  // the suite's token is for another server
  request.token = "{{secret('t')}}!";
  EXPECT_EQ(world.choose(request)->token, "sesame!");
  request.url.reset();
  found = world.choose(request);
  EXPECT_EQ(found->url, "https://suite.example/mcp");
  EXPECT_EQ(found->token, "sesame!");
}

TEST(Tools, APasswordInTheAddressIsRefused) {
  ToolChoice world(kNoTools);
  ToolsRequest request;
  request.url = "https://me:word@tools.example/mcp";
  EXPECT_FALSE(world.choose(request));
  EXPECT_EQ(all_codes(world.out), Found{Code::bad_usage});
  EXPECT_EQ(base::render(world.out).find("word@"), std::string::npos);
  request.url = "https://{{secret('t')}}@tools.example/mcp";  // which is not kept
  EXPECT_EQ(world.choose(request)->url, "https://sesame@tools.example/mcp");
}

TEST(Tools, OnAServerOnlyPublicAddressesAreAsked) {
  ToolChoice world(kTools);
  EXPECT_FALSE(world.choose({})->client.public_only);
  world.permissions.private_addresses = false;
  EXPECT_TRUE(world.choose({})->client.public_only);
}

}  // namespace
}  // namespace vibe::app
