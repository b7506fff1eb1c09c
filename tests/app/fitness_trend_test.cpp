// Aggregates an agent's scores and compares its versions.
#include "app/agents/fitness_trend.h"

#include <gtest/gtest.h>

#include "app/kept_executions.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

TEST(AgentTrend, ComparesTheVersions) {
  KeptExecutions kept;
  kept.keep({"agent", "v1"}, {50, 50, 50});
  kept.keep({"agent", "v2"}, {90, std::nullopt, 90, 90});
  const auto found = agent_trend(kept.executions(), "agent");
  ASSERT_TRUE(found.trend) << base::render(found.diagnostics);
  EXPECT_EQ(all_codes(found.diagnostics), Found{Code::unscored_execution});
  EXPECT_EQ(found.trend->entries.size(), 6u);
  EXPECT_EQ(found.trend->unscored, 1u);
  EXPECT_GT(found.trend->aggregate.value, 50);
  EXPECT_NE(found.trend->grade, "");
  EXPECT_EQ(found.trend->rubric, "default");
  ASSERT_EQ(found.trend->versions.size(), 2u);
  EXPECT_EQ(found.trend->versions[0].version, "v1");
  EXPECT_FALSE(found.trend->versions[0].delta);  // it is the first version
  EXPECT_EQ(found.trend->versions[1].delta, 40);
}

TEST(AgentTrend, OneVersionIsComparedWithNone) {
  KeptExecutions kept;
  kept.keep({"agent", "v1"}, {50});
  kept.keep({"agent", "v2"}, {90});
  const auto found = agent_trend(kept.executions(), "agent@v2");
  ASSERT_TRUE(found.trend);
  EXPECT_EQ(found.trend->entries.size(), 1u);
  EXPECT_TRUE(found.trend->versions.empty());
  EXPECT_FALSE(found.trend->aggregate.interval);  // one score is too few
}

TEST(AgentTrend, WithoutScoresThereIsNone) {
  KeptExecutions kept;
  const auto nobody = agent_trend(kept.executions(), "agent");
  EXPECT_FALSE(nobody.trend);
  EXPECT_EQ(all_codes(nobody.diagnostics), Found{Code::not_found});
  kept.keep({"agent", "v1"}, {std::nullopt});
  const auto unscored = agent_trend(kept.executions(), "agent");
  EXPECT_FALSE(unscored.trend);
  EXPECT_EQ(all_codes(unscored.diagnostics), Found{Code::no_fitness});
}

TEST(AgentTrend, WarnsOfOtherRubrics) {
  KeptExecutions kept;
  kept.keep({"agent", "v1"}, {50});
  kept.rubric = "mine";
  kept.rubric_hash = "1";
  kept.keep({"agent", "v1"}, {60});
  const auto found = agent_trend(kept.executions(), "agent");
  EXPECT_TRUE(found.trend);
  EXPECT_EQ(all_codes(found.diagnostics), Found{Code::mixed_rubrics});
}

TEST(FitnessTrend, OfLogs) {
  UserHome user;
  TrendRequest request;
  request.scoring.read.logs = {user.write(
      "a.jsonl",
      log_line("one", 0, "2026-03-01T10:00:00Z") + log_line("two", 1, "2026-03-02T10:00:00Z"))};
  const auto found = fitness_trend(request);
  ASSERT_TRUE(found.trend) << base::render(found.diagnostics);
  ASSERT_EQ(found.trend->entries.size(), 2u);
  EXPECT_EQ(found.trend->entries[0].id, "two");
  EXPECT_TRUE(found.trend->versions.empty());
  EXPECT_FALSE(std::filesystem::exists(user.home() + "/vibecheck.db"));  // nothing is stored
  request.scoring.read.logs = {user.path("none.jsonl")};
  const auto none = fitness_trend(request);
  EXPECT_FALSE(none.trend);
  EXPECT_TRUE(none.diagnostics.failed());
}

TEST(FitnessTrend, OfTheUsersStore) {
  UserHome user;
  TrendRequest request;
  request.agent = "agent";
  EXPECT_TRUE(fitness_trend(request).diagnostics.has(Code::not_found));
  request.scoring.rubric = user.path("none.yaml");
  EXPECT_TRUE(fitness_trend(request).diagnostics.has(Code::cannot_read));
  user.write_home("vibecheck.db", std::string(5000, 'x'));
  EXPECT_TRUE(fitness_trend(request).diagnostics.has(Code::store_damaged));
}

}  // namespace
}  // namespace vibe::app
