// Bodies of requests: all that their tables find wrong, and what routes answer to them.
#include "server/body.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/json_value.h"
#include "server/body_schema.h"
#include "server/openapi.h"
#include "server/route.h"
#include "server/service_world.h"

namespace vibe::server {
namespace {

// What a table finds wrong, as `message; hint`.
std::vector<std::string> problems_of(const base::Section& keys, std::string_view sent) {
  const auto json = base::parse_json(sent);
  EXPECT_TRUE(json) << sent;
  base::Diagnostics found;
  Body(keys, *json).report(found);
  std::vector<std::string> out;
  for (const auto& one : found.all()) {
    EXPECT_EQ(one.code, base::Code::bad_usage);
    out.push_back(one.hint.empty() ? one.message : one.message + "; " + one.hint);
  }
  return out;
}

struct BodyCase {
  const char* name;
  const base::Section* keys;
  const char* sent;
  std::vector<std::string> want;
};
class BodyKeys : public testing::TestWithParam<BodyCase> {};

TEST_P(BodyKeys, AreReported) {
  const auto& [name, keys, sent, want] = GetParam();
  EXPECT_EQ(problems_of(*keys, sent), want) << name;
}

INSTANTIATE_TEST_SUITE_P(
    Server, BodyKeys,
    testing::Values(
        BodyCase{"nothing_wrong",
                 &kStartKeys,
                 R"({"yamlContent": "", "options": {"budget": 0, "repeat": 1000, "cache": false,
                     "mcp_server": {"url": "u", "name": ""}, "only": "a"}})",
                 {}},
        BodyCase{"several_at_once",
                 &kStartKeys,
                 R"({"resume": 5, "options": {"budget": -1, "cache": 1, "model": []}})",
                 {"`options.budget` must be a number, 0 or more",
                  "`options.cache` must be true or false", "`options.model` must be a string",
                  "`resume` must be a string"}},
        BodyCase{"out_of_range",
                 &kRunOptionKeys,
                 R"({"repeat": 1001, "run_timeout": 0, "threads": 1.5})",
                 {"`repeat` must be a whole number from 1 to 1000",
                  "`run_timeout` must be a number greater than 0",
                  "`threads` must be a whole number from 1 to 1024"}},
        BodyCase{"misspelt_inside",
                 &kStartKeys,
                 R"({"options": {"bugdet": 0}})",
                 {"`options` has no key `bugdet`; did you mean `budget`?"}},
        BodyCase{"unknown_inside",
                 &kStartKeys,
                 R"({"options": {"mcp_server": {"token": null}}})",
                 {"`options.mcp_server` has no key `token`; known keys: `authorization_token`, "
                  "`name`, `url`"}},
        BodyCase{"no_object_inside",
                 &kStartKeys,
                 R"({"options": {"mcp_server": "x"}})",
                 {"`options.mcp_server` must be an object"}},
        BodyCase{"unknown_at_the_top", &kStartKeys, R"({"clientVersion": "0.4.0"})", {}},
        BodyCase{"misspelt_at_the_top",
                 &kStartKeys,
                 R"({"option": {}, "evalSuit": null})",
                 {"the body has no key `option`; did you mean `options`?"}},
        BodyCase{"another_spelling_beside",
                 &kSuiteKeys,
                 R"({"yamlContent": "", "yamlcontent": ""})",
                 {}},
        BodyCase{"misspelt_is_not_missing_too",
                 &kInviteKeys,
                 R"({"coed": "x"})",
                 {"the body has no key `coed`; did you mean `code`?"}},
        BodyCase{"null_is_not_given",
                 &kDecisionKeys,
                 R"({"old": null, "new": 5, "seed": null})",
                 {"`old` is missing; give a score, or `NAME@VERSION`"}},
        BodyCase{
            "all_missing", &kNamedValueKeys, "{}", {"`name` is missing", "`value` is missing"}},
        BodyCase{"blank",
                 &kInviteKeys,
                 R"({"code": " "})",
                 {"`code` must be a string that is not empty"}},
        BodyCase{
            "the_last_of_equal_keys_counts", &kValueKeys, R"({"value": 5, "value": "x"})", {}}),
    [](const auto& each) { return each.param.name; });

TEST(BodyValues, AreReadByTheirKeys) {
  const auto json = base::parse_json(
      R"({"resume": null, "options": {"budget": 0.5, "cache": true, "threads": 8.0,
          "mcp_server": {"url": "u"}}})");
  const Body body(kStartKeys, *json), options = body.section("options");
  EXPECT_FALSE(body.text("resume"));
  EXPECT_EQ(options.number("budget"), 0.5);
  EXPECT_EQ(options.boolean("cache"), true);
  EXPECT_EQ(options.integer("threads"), 8);
  EXPECT_EQ(options.section("mcp_server").text("url"), "u");
  const auto none = base::parse_json("{}");
  EXPECT_FALSE(Body(kStartKeys, *none).section("options").section("mcp_server").text("url"));
}

// However many there are, the answer stays small.
TEST(BodyValues, OfManyUnknownKeysOnlySomeAreReported) {
  std::string sent = "{";
  for (int i = 0; i < 5000; ++i)
    sent += (i ? ",\"unknown" : "\"unknown") + std::to_string(i) + "\":1";
  EXPECT_EQ(problems_of(kStartKeys, R"({"options":)" + sent + "}}").size(), 100u);
}

// ---- routes

class KeptReply final : public Reply {
 public:
  void send(Response response) override { answer = std::move(response); }
  void wake() override {}
  void on_end(std::function<void()>) override {}
  Response answer;
};

// Bodies are looked at before anything else: there is no caller.
Response answer_to_body(Service& service, std::string_view path, std::string body) {
  const Found found = find_route("POST", read_target(path)->segments);
  Request request;
  request.body = std::move(body);
  const auto reply = std::make_shared<KeptReply>();
  found.route->answer({service, *found.route, std::move(request), found.parameters, {}, reply});
  return reply->answer;
}

constexpr const char* kNoSuite =
    "`evalSuite` is missing; send the suite as `evalSuite`, or its text as `yamlContent`";

struct RefusalCase {
  const char* path;
  const char* sent;
  const char* error;
  std::size_t problems;
};

TEST(BodyRoutes, RefuseABodyWithAllThatIsWrong) {
  ServiceWorld world;
  for (const auto& [path, sent, want, problems] : {
           RefusalCase{"/api/eval/run", "{}", kNoSuite, 1},
           RefusalCase{"/api/eval/run", R"({"evalSuit": {}})",
                       "the body has no key `evalSuit`; did you mean `evalSuite`?", 1},
           RefusalCase{"/api/eval/run", R"({"resume": "a", "retryFailed": "b"})",
                       "`resume`, `retryFailed` and `again` cannot be combined", 1},
           RefusalCase{"/api/eval/run",
                       R"({"yamlContent": 5, "options": {"only": [5], "cache": 1}})",
                       "`yamlContent` must be a string, and 2 more errors", 3},
           RefusalCase{"/api/eval/run",
                       R"({"resume": "a", "options": {"model": "m", "mcp_server": {"url": "u"}}})",
                       "`options.model` cannot be changed when a run is resumed, and 1 more error",
                       2},
           RefusalCase{"/api/eval/run", R"({"resume": "a", "options": {"model": 5}})",
                       "`options.model` must be a string", 1},
           RefusalCase{"/api/suite/save", R"({"yamlContent": null})", kNoSuite, 1},
           RefusalCase{"/api/runtime/vars", R"({"name": 5})",
                       "`name` must be a string, and 1 more error", 2},
           RefusalCase{"/api/runtime/secrets", R"({"name": "a", "value": {"a": "swordfish"}})",
                       "`value` must be a string", 1},
           RefusalCase{"/api/invites/redeem", R"({"code": 5})",
                       "`code` must be a string that is not empty", 1},
           RefusalCase{"/api/formula/check", "{}", "`formula` or `yamlContent` is missing", 1},
           RefusalCase{"/api/decisions", R"({"old": [], "new": "", "seed": -1})",
                       "`seed` must be a whole number, 0 or more, and 2 more errors", 3},
       }) {
    const Response answer = answer_to_body(world.service, path, sent);
    EXPECT_EQ(answer.status, 400) << path << sent;
    const auto json = base::parse_json(answer.body);
    ASSERT_TRUE(json) << answer.body;
    EXPECT_EQ(json->text_of("error"), want);
    const base::JsonValue* all = json->find("diagnostics");
    ASSERT_TRUE(all && all->array()) << answer.body;
    EXPECT_EQ(all->array()->size(), problems) << answer.body;
  }
}

// What documentation shows is what a route takes.
TEST(BodyRoutes, HaveATableThatTheirExampleFits) {
  for (const auto& route : routes()) {
    EXPECT_EQ(route.body != nullptr, !route.takes_file && !route.request.empty()) << route.path;
    if (!route.body) continue;
    EXPECT_TRUE(problems_of(*route.body, route.request).empty()) << route.path;
  }
}

TEST(BodyRoutes, AreDescribedByTheirTables) {
  const auto json = base::parse_json(openapi_json("1"));
  ASSERT_TRUE(json);
  const auto* schema =
      json->pointer("/paths/~1api~1eval~1run/post/requestBody/content/application~1json/schema");
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->pointer("/properties/yamlContent")->text_of("type"), "string");
  const auto* options = schema->pointer("/properties/options");
  EXPECT_EQ(options->find("additionalProperties")->boolean(), false);
  EXPECT_EQ(options->pointer("/properties/repeat")->number_of("maximum"), 1000);
  EXPECT_EQ(options->pointer("/properties/mcp_server/properties/url")->text_of("type"), "string");
}

}  // namespace
}  // namespace vibe::server
