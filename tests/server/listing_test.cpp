#include "server/listing.h"

#include <gtest/gtest.h>

namespace vibe::server {
namespace {

Target target(std::string_view query) {
  return read_target("/api/runs?" + std::string(query)).value();
}

TEST(Listing, ReadsRunQueries) {
  const auto query = read_run_query(
      target("limit=7&offset=3&status=completed,failed&status__ne=queued&suite_name=s&model=m&"
             "model__like=%25x&tag=math"
             "&total_cost__gte=1&total_cost__lte=2&score__gte=-5&created_at__gte=2026-01-01"
             "&completed_at__lte=2026-01-01&sort=-total_cost&after=abc"));
  ASSERT_TRUE(query) << query.error();
  EXPECT_EQ(query->limit, 7u);
  EXPECT_EQ(query->offset, 3u);
  EXPECT_EQ(query->status, (std::vector{score::RunStatus::completed, score::RunStatus::failed}));
  EXPECT_EQ(query->status_ne, std::vector{score::RunStatus::queued});
  EXPECT_EQ(query->suite, "s");
  EXPECT_EQ(query->model, "m");
  EXPECT_EQ(query->model_like, "%x");
  EXPECT_EQ(query->tag, "math");
  EXPECT_EQ(query->cost.least, 1);
  EXPECT_EQ(query->cost.most, 2);
  EXPECT_EQ(query->score.least, -5);
  EXPECT_EQ(query->created.from, 1767225600000);
  EXPECT_EQ(query->completed.to, 1767225600000 + 86'400'000 - 1);  // the whole day
  EXPECT_EQ(query->order, store::RunOrder::cost);
  EXPECT_FALSE(query->ascending);
  EXPECT_EQ(query->after, "abc");
}

TEST(Listing, TakesTheNewestRunsByDefault) {
  const auto query = read_run_query(target(""));
  ASSERT_TRUE(query);
  EXPECT_EQ(query->limit, 50u);
  EXPECT_EQ(query->order, store::RunOrder::created);
  EXPECT_FALSE(query->ascending);
}

struct BadCase {
  const char* query;
  const char* name;
};

class BadFilter : public testing::TestWithParam<BadCase> {};

TEST_P(BadFilter, IsNamed) {
  const auto query = read_run_query(target(GetParam().query));
  ASSERT_FALSE(query);
  EXPECT_TRUE(query.error().starts_with("Invalid filter `" + std::string(GetParam().name) + "`: "))
      << query.error();
}

INSTANTIATE_TEST_SUITE_P(
    Listing, BadFilter,
    testing::Values(BadCase{"limit=0", "limit"}, BadCase{"limit=1001", "limit"},
                    BadCase{"limit=99999999999999999999", "limit"}, BadCase{"offset=-1", "offset"},
                    BadCase{"status=", "status"}, BadCase{"status=done", "status"},
                    BadCase{"status__ne=completed,x", "status__ne"},
                    BadCase{"score__gte=nan", "score__gte"},
                    BadCase{"score__lte=1e999", "score__lte"},
                    BadCase{"duration_seconds__gte=", "duration_seconds__gte"},
                    BadCase{"created_at__gte=yesterday", "created_at__gte"},
                    BadCase{"sort=", "sort"}, BadCase{"sort=-", "sort"},
                    BadCase{"sort=id", "sort"}));

// A row of the table that nothing reads would be a filter that lists everything.
TEST(Listing, ReadsEveryBoundThatTheTableHas) {
  std::size_t count = 0;
  for (const auto& route : routes()) {
    for (const auto& row : route.query) {
      if (!row.name.ends_with("__gte") && !row.name.ends_with("__lte")) continue;
      ++count;
      const Target bad = target(std::string(row.name) + "=bad");
      EXPECT_FALSE(route.path == "/api/runs" ? read_run_query(bad).has_value()
                                             : read_execution_query(bad).has_value())
          << route.path << ' ' << row.name;
    }
  }
  EXPECT_EQ(count, 16u);
}

TEST(Listing, ReadsQueriesOfExecutions) {
  const auto query = read_execution_query(
      target("agent=reviewer@v2&session=s&grade=B&rubric=r&score__lte=9&time__gte=2026-01-01"));
  ASSERT_TRUE(query) << query.error();
  EXPECT_EQ(query->agent, "reviewer");
  EXPECT_EQ(query->version, "v2");
  EXPECT_EQ(query->session, "s");
  EXPECT_EQ(query->score.most, 9);
  EXPECT_EQ(read_execution_query(target("agent=a&version="))->version, "");
  EXPECT_EQ(read_execution_query(target("agent=a"))->version, std::nullopt);
  EXPECT_FALSE(read_execution_query(target("limit=x")));
  EXPECT_EQ(read_decision_query(target("agent=a&limit=5"))->limit, 5u);
  EXPECT_FALSE(read_decision_query(target("offset=x")));
}

TEST(Listing, SomeListsTakeLong) {
  for (const auto* quick : {"/api/runs", "/api/runs?limit=5&sort=-score&status__ne=failed",
                            "/api/runs?offset=1000&model=a"})
    EXPECT_FALSE(takes_long(*read_target(quick))) << quick;
  for (const auto* slow :
       {"/api/runs?model__like=%25a", "/api/runs?score__gte=1", "/api/runs?offset=1001"})
    EXPECT_TRUE(takes_long(*read_target(slow))) << slow;
}

}  // namespace
}  // namespace vibe::server
