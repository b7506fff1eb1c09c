// The table of routes: how a path finds its row, and what every row has to have.
#include <new>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/json_value.h"
#include "server/caller.h"
#include "server/guarded.h"
#include "server/openapi.h"
#include "server/route.h"

namespace vibe::server {
namespace {

Found find(std::string_view method, std::string_view path) {
  return find_route(method, read_target(path)->segments);
}

TEST(Routes, AreFoundByMethodAndPath) {
  EXPECT_EQ(find("GET", "/api/runs").route->path, "/api/runs");
  EXPECT_EQ(find("GET", "//api//runs").route->path, "/api/runs");
  const Found run = find("GET", "/api/runs/a%2Fb");
  ASSERT_TRUE(run.route);
  EXPECT_EQ(run.route->path, "/api/runs/:id");
  EXPECT_EQ(run.parameters, std::vector<std::string>{"a/b"});
  EXPECT_EQ(find("POST", "/api/runs/x/cancel").route->path, "/api/runs/:id/cancel");
}

TEST(Routes, WithoutParametersComeFirst) {
  EXPECT_EQ(find("GET", "/api/suite/list").route->path, "/api/suite/list");
  EXPECT_EQ(find("GET", "/api/suite/lists").route->path, "/api/suite/:name");
  EXPECT_EQ(find("POST", "/api/suite/save").route->path, "/api/suite/save");
  EXPECT_EQ(find("GET", "/api/suite/save").route->path, "/api/suite/:name");
  EXPECT_EQ(find("DELETE", "/api/suite/save").allowed, "POST, GET");
  const Found wrong = find("POST", "/api/suite/list");  // not a suite of this name
  EXPECT_FALSE(wrong.route);
  EXPECT_EQ(wrong.allowed, "GET");
}

TEST(Routes, ThatWriteAreNotAnsweredByTheThreadsOfHttp) {
  for (const auto& route : routes())
    EXPECT_TRUE(route.method == "GET" || route.where == Where::workers) << route.path;
}

// It looks at every price there is.
TEST(Routes, TheListOfModelsIsMadeByTheWorkers) {
  EXPECT_EQ(find("GET", "/api/models").route->where, Where::workers);
}

TEST(Routes, TakeBodiesOfTheirSize) {
  EXPECT_EQ(find("POST", "/api/invites/redeem").route->most_bytes, 4u << 10);
  for (const auto* path : {"/api/runtime/vars/x", "/api/runtime/secrets/x"})
    EXPECT_EQ(find("PUT", path).route->most_bytes, 256u << 10);
  for (const auto* path : {"/api/runtime/vars", "/api/runtime/secrets"})
    EXPECT_EQ(find("POST", path).route->most_bytes, 256u << 10);
  EXPECT_EQ(find("POST", "/api/formula/check").route->most_bytes, 1u << 20);
  EXPECT_EQ(find("POST", "/api/eval/run").route->most_bytes, kMostBodyBytes);
}

TEST(Guarded, AnExceptionEndsTheWorkAlone) {
  auto log = AccessLog::open("/dev/null").value();
  EXPECT_TRUE(guarded(log, "a", [] {}));
  EXPECT_FALSE(guarded(log, "a", [] { throw std::bad_alloc(); }));
}

TEST(Routes, TellWhichMethodsAPathHas) {
  EXPECT_EQ(find("PATCH", "/api/runtime/vars/x").allowed, "GET, PUT, DELETE");
  EXPECT_EQ(find("GET", "/api/nothing").allowed, "");
  EXPECT_EQ(find("GET", "/api/runs/a/b").allowed, "");
  EXPECT_EQ(find("get", "/api/runs").allowed, "GET");
  EXPECT_EQ(find("GET", "/").allowed, "");
}

TEST(Routes, EachIsOneAndDocumented) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const auto& route : routes()) {
    EXPECT_TRUE(seen.emplace(route.method, route.path).second) << route.path;
    EXPECT_FALSE(route.summary.empty()) << route.path;
    EXPECT_FALSE(route.summary.ends_with('.')) << route.path;
    EXPECT_TRUE(route.answer) << route.path;
    const bool is_json = route.response_type == "application/json";
    const bool sends = !route.takes_file && !route.request.empty();
    EXPECT_TRUE(!sends || base::parse_json(route.request)) << route.path;
    EXPECT_TRUE(!is_json || route.response.empty() || base::parse_json(route.response))
        << route.path;
  }
}

TEST(Routes, AreOpenWhereTheyHaveToBe) {
  std::set<std::string_view> open;
  for (const auto& route : routes())
    if (!route.role) open.insert(route.path);
  EXPECT_EQ(open, (std::set<std::string_view>{"/api/version", "/api/invites/redeem", "/healthz",
                                              "/readyz"}));
}

TEST(Routes, AreAllDescribed) {
  const auto json = base::parse_json(openapi_json("1.2.3"));
  ASSERT_TRUE(json) << json.error();
  EXPECT_EQ(json->find("info")->text_of("version"), "1.2.3");
  std::size_t count = 0;
  for (const auto& [path, methods] : *json->find("paths")->object())
    count += methods.object()->size();
  EXPECT_EQ(count, routes().size());
  EXPECT_TRUE(json->find("paths")->find("/api/runs/{id}")->find("get"));
}

TEST(Routes, ReadTheKeyOfEitherHeader) {
  Head head;
  EXPECT_EQ(key_of(head), "");
  head.headers = {{"authorization", "Bearer  abc "}};
  EXPECT_EQ(key_of(head), "abc");
  head.headers = {{"authorization", "bearer abc"}};
  EXPECT_EQ(key_of(head), "abc");
  head.headers = {{"authorization", "Basic abc"}};
  EXPECT_EQ(key_of(head), "");
  head.headers = {{"authorization", "Bearer abc"}, {"x-api-key", "def"}};
  EXPECT_EQ(key_of(head), "def");
}

}  // namespace
}  // namespace vibe::server
