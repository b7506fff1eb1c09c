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

void expect_equal(const store::Bounds& a, const store::Bounds& b) {
  EXPECT_EQ(a.least, b.least);
  EXPECT_EQ(a.most, b.most);
}

void expect_equal(const RunQuery& a, const RunQuery& b) {
  // Every field has its name here: one more does not compile until it is compared, too.
  const auto& [limit, offset, after, status, status_ne, suite, model, model_like, cost, success,
               score, duration, created_from, created_to, completed_from, completed_to, order,
               ascending] = a;
  EXPECT_EQ(limit, b.limit);
  EXPECT_EQ(offset, b.offset);
  EXPECT_EQ(after, b.after);
  EXPECT_EQ(status, b.status);
  EXPECT_EQ(status_ne, b.status_ne);
  EXPECT_EQ(suite, b.suite);
  EXPECT_EQ(model, b.model);
  EXPECT_EQ(model_like, b.model_like);
  expect_equal(cost, b.cost);
  expect_equal(success, b.success);
  expect_equal(score, b.score);
  expect_equal(duration, b.duration);
  EXPECT_EQ(created_from, b.created_from);
  EXPECT_EQ(created_to, b.created_to);
  EXPECT_EQ(completed_from, b.completed_from);
  EXPECT_EQ(completed_to, b.completed_to);
  EXPECT_EQ(order, b.order);
  EXPECT_EQ(ascending, b.ascending);
}

TEST(RemoteStore, AsksForRunsByEveryCondition) {
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
  query.cost = {0.1, 1e-9};
  query.success = {0, 100};
  query.score = {-1234567.125, 1e17 / 3};
  query.duration = {0.001, 86400};
  query.created_from = kMidnight;
  query.created_to = kMidnight;  // not the day that begins then
  query.completed_from = kMidnight + 1;
  query.completed_to = kMidnight + 2 * kDay - 1;
  expect_equal(query, as_received(query));
}

TEST(RemoteStore, AsksForRunsByNone) { expect_equal(RunQuery{}, as_received(RunQuery{})); }

TEST(RemoteStore, AsksForRunsInEveryOrder) {
  for (const auto order : {RunOrder::created, RunOrder::success, RunOrder::cost, RunOrder::time,
                           RunOrder::score, RunOrder::price_performance})
    for (const bool ascending : {false, true}) {
      RunQuery query;
      query.order = order;
      query.ascending = ascending;
      expect_equal(query, as_received(query));
    }
}

}  // namespace

}  // namespace vibe::remote
