// Stores scored executions, and finds them again.
#include "app/agents/executions.h"

#include <gtest/gtest.h>

#include "app/kept_executions.h"
#include "app/served_world.h"
#include "app/world.h"
#include "base/file.h"
#include "fitness/rubrics.h"

namespace vibe::app {
namespace {

using base::Code;

fitness::Scored scored_session(const std::string& id) {
  fitness::Scored out;
  out.execution = test::full_session();
  out.execution.id = id;
  out.fitness = fitness::score(out.execution, fitness::default_rubric());
  return out;
}

TEST(PlaceOf, IsTheSameFromEveryFolder) {
  UserHome user;
  const auto here = std::filesystem::current_path().string();
  EXPECT_EQ(place_of("a.jsonl"), here + "/a.jsonl");
  EXPECT_EQ(place_of("./some/../a.jsonl"), here + "/a.jsonl");
  EXPECT_EQ(place_of("/logs/a.jsonl"), "/logs/a.jsonl");
  EXPECT_EQ(place_of(""), "");
  EXPECT_EQ(place_of(base::display_name("-")), "");
}

TEST(ExecutionRecords, AreThoseOfTheLogOrOfWhoIsNamed) {
  const auto& rubric = fitness::default_rubric();
  ExecutionRecords own(std::nullopt, 1234);
  own.add(scored_session("one"), rubric);
  own.add(scored_session("two"), rubric);
  ASSERT_EQ(own.all().size(), 2u);
  EXPECT_EQ(own.all()[0].agent, (fitness::AgentVersion{"claude-code", ""}));
  EXPECT_EQ(own.all()[0].scored_at, 1234);
  EXPECT_EQ(own.all()[0].rubric_hash, base::hash(rubric.text));
  EXPECT_NE(own.all()[0].id, own.all()[1].id);
  const auto other = fitness::rubric_of("name: mine\n");
  own.add(scored_session("three"), other);
  EXPECT_EQ(own.all()[2].rubric_hash, base::hash(other.text));
  own.clear();
  EXPECT_TRUE(own.all().empty());
  ExecutionRecords named(fitness::AgentVersion{"mine", "v2"}, 1234);
  named.add(scored_session("one"), rubric);
  EXPECT_EQ(named.all()[0].agent, (fitness::AgentVersion{"mine", "v2"}));
}

TEST(FindExecution, ByIdByItsBeginningOrTheLast) {
  KeptExecutions kept;
  const auto missing = [&](std::string_view id) {
    const auto found = find_execution(kept.executions(), id);
    EXPECT_FALSE(found);
    EXPECT_EQ(all_codes(found.error()), Found{Code::not_found});
    return first_hint(found.error());
  };
  EXPECT_NE(missing("last").find("vibe fitness score"), std::string::npos);
  const auto ids = kept.keep({"agent", "v1"}, {1, 2});
  EXPECT_EQ(find_execution(kept.executions(), ids[0])->score, 1);
  EXPECT_EQ(find_execution(kept.executions(), "last")->score, 2);
  EXPECT_NE(missing("nothing").find("vibe get executions"), std::string::npos);
}

TEST(VersionTrends, TheLastScoresOfEachVersionOldestFirst) {
  KeptExecutions kept;
  std::vector<std::optional<double>> many;
  for (int i = 0; i < 30; ++i) many.push_back(i);
  kept.keep({"agent", "v1"}, many);
  kept.keep({"agent", "v2"}, {7, std::nullopt});
  const auto page = kept.executions().list({.limit = 5});
  ASSERT_TRUE(page);
  const auto found = version_trends(kept.executions(), page->items);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].name, "agent@v2");
  EXPECT_EQ((*found)[0].scores, (std::vector<std::optional<double>>{7, std::nullopt}));
  ASSERT_EQ((*found)[1].scores.size(), kTrendRuns);
  EXPECT_EQ((*found)[1].scores.front(), 10);
  EXPECT_EQ((*found)[1].scores.back(), 29);
}

// ---- the user's workspace

TEST(ExecutionKeeper, OpensNothingBeforeTheFirst) {
  UserHome user;
  {
    ExecutionKeeper keeper(false, {}, {});
    EXPECT_TRUE(keeper.finish().empty());
  }
  EXPECT_FALSE(std::filesystem::exists(user.home()));
  ExecutionKeeper keeper(false, {.agent = fitness::AgentVersion{"mine", "v1"}, .now = 5}, {});
  keeper.add(scored_session("one"), fitness::default_rubric());
  keeper.add(scored_session("two"), fitness::default_rubric());
  EXPECT_TRUE(keeper.finish().empty());
  const auto store = *store::open_sqlite(user.home());
  const auto all = store->archive().executions().list({.agent = "mine"})->items;
  EXPECT_EQ(all.size(), 2u);
}

TEST(ExecutionKeeper, AStoreThatCannotBeOpenedIsSaidOnce) {
  UserHome user;
  user.write_home("vibecheck.db", std::string(5000, 'x'));
  ExecutionKeeper keeper(false, {}, {});
  keeper.add(scored_session("one"), fitness::default_rubric());
  keeper.add(scored_session("two"), fitness::default_rubric());
  EXPECT_EQ(all_codes(keeper.finish()), Found{Code::store_damaged});
}

TEST(ExecutionKeeper, AServerTakesNoRubricOfTheUser) {
  UserHome user;
  StubServer stub;
  ExecutionKeeper keeper(true, {}, {.server = stub.url()});
  keeper.add(scored_session("one"), fitness::default_rubric());
  keeper.add(scored_session("two"), fitness::default_rubric());
  EXPECT_EQ(all_codes(keeper.finish()), Found{Code::bad_usage});
  EXPECT_TRUE(stub.asked().empty());
}

}  // namespace
}  // namespace vibe::app
