// What the archive of a server asks for is what the server understands.
#include "remote/archive.h"

#include <future>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/http_world.h"
#include "server/listing.h"

namespace vibe::remote {

namespace {

using store::RunOrder;
using store::RunQuery;

// The query as the server reads what is sent for it.
RunQuery as_received(const RunQuery& query) {
  server::HttpWorld world;
  std::promise<server::Target> asked;
  world.handler.handles = [&](server::Request request, server::ReplyPtr reply) {
    reply->send({.body = R"({"runs": [], "pagination": {"total": 0}})"});
    asked.set_value(request.target);
  };
  const auto port = world.start();
  const auto server = Server::open({fmt::format("http://127.0.0.1:{}", port), "key"}, {});
  EXPECT_TRUE(server);
  (void)make_archive(**server)->runs().list(query);
  auto target = asked.get_future();
  if (target.wait_for(std::chrono::seconds(10)) != std::future_status::ready) {
    ADD_FAILURE() << "nothing was asked";
    return {};
  }
  const auto read = server::read_run_query(target.get());
  EXPECT_TRUE(read) << read.error();
  return read.value_or(RunQuery{});
}

TEST(RemoteArchive, AsksForRunsByEveryCondition) {
  constexpr store::Millis kDay = 86'400'000, kMidnight = 20'000 * kDay;
  RunQuery query;
  query.limit = 7;
  query.offset = 3;
  query.after = "a+b/c=";
  query.status = {score::RunStatus::completed, score::RunStatus::partial_failure};
  query.status_ne = {score::RunStatus::queued, score::RunStatus::running};
  query.suite = "übung 1 & 2 = 3%";
  query.model = "exec:sh -c 'a,b'";
  query.model_like = "%gpt_4#o";
  query.tag = "a \"hard\" one";
  query.cost = {0.1, 1e-9};
  query.success = {0, 100};
  query.score = {-1234567.125, 1e17 / 3};
  query.duration = {0.001, 86400};
  query.created.from = kMidnight;
  query.created.to = kMidnight;  // not the day that begins then
  query.completed.from = kMidnight + 1;
  query.completed.to = kMidnight + 2 * kDay - 1;
  EXPECT_TRUE(as_received(query) == query);
}

TEST(RemoteArchive, AsksForRunsByNone) { EXPECT_TRUE(as_received(RunQuery{}) == RunQuery{}); }

TEST(RemoteArchive, AsksForRunsInEveryOrder) {
  for (const auto order : {RunOrder::created, RunOrder::success, RunOrder::cost, RunOrder::time,
                           RunOrder::score, RunOrder::price_performance})
    for (const bool ascending : {false, true}) {
      RunQuery query;
      query.order = order;
      query.ascending = ascending;
      EXPECT_TRUE(as_received(query) == query);
    }
}

}  // namespace

}  // namespace vibe::remote
