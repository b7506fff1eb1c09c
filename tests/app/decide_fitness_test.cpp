// Decides between scores, logs and stored executions, and stores the decision.
#include "app/agents/decide_fitness.h"

#include <cmath>

#include <gtest/gtest.h>

#include "app/faulty_store.h"
#include "app/kept_executions.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;
using fitness::Reason;

struct Decisive : KeptExecutions {
  DecideRequest request;

  Decided decide(std::string before, std::string after) {
    request.before = std::move(before);
    request.after = std::move(after);
    return decide_fitness(request, executions(), store->journal());
  }
  std::vector<fitness::DecisionRecord> decisions() { return executions().decisions({})->items; }
};

TEST(DecideFitness, OfTwoNumbers) {
  Decisive world;
  world.request.seed = 42;
  const auto decided = world.decide("70", "80.5");
  ASSERT_TRUE(decided.record) << base::render(decided.diagnostics);
  EXPECT_TRUE(decided.diagnostics.empty() && decided.not_kept.empty());
  EXPECT_TRUE(decided.record->decision.accept);
  EXPECT_EQ(decided.record->decision.reason, Reason::significant_improvement);
  EXPECT_EQ(decided.record->decision.delta, 10.5);
  EXPECT_EQ(decided.record->decision.seed, 42u);
  EXPECT_EQ(decided.record->before.what, "70");
  EXPECT_TRUE(decided.record->before.executions.empty());
  EXPECT_EQ(decided.record->rubric, "default");
  EXPECT_FALSE(decided.before || decided.after);  // a single number has no interval
  const auto kept = world.decisions();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].id, decided.record->id);
  EXPECT_EQ(kept[0].rubric_hash, decided.record->rubric_hash);
}

TEST(DecideFitness, TheSameSeedDecidesTheSame) {
  Decisive world;
  world.request.seed = 7;
  const auto first = world.decide("70", "69"), second = world.decide("70", "69");
  ASSERT_TRUE(first.record && second.record);
  ASSERT_TRUE(first.record->decision.draw);  // a small loss is decided by a draw
  EXPECT_EQ(first.record->decision.draw, second.record->decision.draw);
  EXPECT_EQ(first.record->decision.accept, second.record->decision.accept);
}

TEST(DecideFitness, ADrawnSeedIsExactInEveryJson) {
  Decisive world;
  const auto decided = world.decide("70", "69");
  ASSERT_TRUE(decided.record);
  EXPECT_LT(decided.record->decision.seed, std::uint64_t{1} << 53);
}

struct BadSide {
  const char* name;
  const char* before;
  const char* after;
  Found want;
};
class BadSides : public testing::TestWithParam<BadSide> {};

TEST_P(BadSides, AreNotDecided) {
  Decisive world;
  const auto decided = world.decide(GetParam().before, GetParam().after);
  EXPECT_FALSE(decided.record);
  EXPECT_EQ(all_codes(decided.diagnostics), GetParam().want) << base::render(decided.diagnostics);
  EXPECT_TRUE(world.decisions().empty());
}

INSTANTIATE_TEST_SUITE_P(
    DecideFitness, BadSides,
    testing::Values(BadSide{"both_empty", "", "", {Code::bad_usage, Code::bad_usage}},
                    BadSide{"no_number", "nan", "1", {Code::no_fitness}},
                    BadSide{"infinite", "1", "-Inf", {Code::no_fitness}},
                    BadSide{"too_large", "1e13", "-1e13", {Code::no_fitness, Code::no_fitness}},
                    BadSide{"unknown_agent", "nobody@v1", "1", {Code::not_found}},
                    BadSide{"file_where_none_is_read", "/etc/passwd", "1", {Code::not_found}}),
    [](const auto& row) { return row.param.name; });

TEST(DecideFitness, OfKeptExecutions) {
  Decisive world;
  const auto old_ids = world.keep({"agent", "v1"}, {50, 51, 52});
  const auto new_ids = world.keep({"agent", "v2"}, {80, 81, 82, 83});
  const auto decided = world.decide("agent@v1", "agent@v2");
  ASSERT_TRUE(decided.record) << base::render(decided.diagnostics);
  EXPECT_TRUE(decided.record->decision.accept);
  EXPECT_EQ(decided.record->before.scores, (std::vector<double>{52, 51, 50}));  // newest first
  EXPECT_EQ(decided.record->before.executions,
            (std::vector<std::string>{old_ids[2], old_ids[1], old_ids[0]}));
  EXPECT_EQ(decided.record->after.executions.size(), 4u);
  ASSERT_TRUE(decided.before && decided.after);
  EXPECT_LT(decided.before->high, decided.after->low);
  EXPECT_TRUE(decided.record->decision.probability_better);
}

TEST(DecideFitness, WhatHasNoScoreIsLeftOut) {
  Decisive world;
  world.keep({"agent", "v1"}, {50, std::nullopt});
  const auto decided = world.decide("agent@v1", "80");
  ASSERT_TRUE(decided.record);
  EXPECT_EQ(decided.record->before.scores, std::vector<double>{50});
  EXPECT_TRUE(decided.diagnostics.has(Code::unscored_execution));
  world.keep({"agent", "v2"}, {std::nullopt});
  const auto none = world.decide("agent@v2", "80");
  EXPECT_FALSE(none.record);
  EXPECT_TRUE(none.diagnostics.has(Code::no_fitness));
}

TEST(DecideFitness, WarnsOfScoresByOtherRubrics) {
  Decisive world;
  world.rubric_hash = "another";
  world.keep({"agent", "v1"}, {50, 51});
  const auto decided = world.decide("agent@v1", "80");
  ASSERT_TRUE(decided.record);
  EXPECT_EQ(all_codes(decided.diagnostics), Found{Code::mixed_rubrics});
}

TEST(DecideFitness, WarnsOfWhatChanceCouldHaveMade) {
  Decisive world;
  world.keep({"agent", "v1"}, {10, 90, 30, 70});
  world.keep({"agent", "v2"}, {95, 15, 85, 40});
  const auto decided = world.decide("agent@v1", "agent@v2");
  ASSERT_TRUE(decided.record);
  EXPECT_TRUE(decided.record->decision.within_noise);
  EXPECT_TRUE(decided.diagnostics.has(Code::within_noise));
}

TEST(DecideFitness, ADecisionThatCannotBeKeptIsMade) {
  Decisive world;
  test::FaultyStore store(*world.store);
  store.faults.decision = 0;
  world.request.before = "70";
  world.request.after = "80";
  const auto decided = decide_fitness(world.request, world.executions(), store.journal());
  ASSERT_TRUE(decided.record);
  EXPECT_TRUE(decided.record->decision.accept);
  EXPECT_TRUE(decided.diagnostics.empty());
  EXPECT_EQ(all_codes(decided.not_kept), Found{Code::store_unusable});
}

TEST(DecideFitness, OptionsAboutLogsNeedOne) {
  Decisive world;
  world.request.scoring.given.complexity = fitness::Complexity::simple;
  const auto decided = world.decide("70", "80");
  EXPECT_FALSE(decided.record);
  EXPECT_EQ(all_codes(decided.diagnostics), Found{Code::bad_usage});
}

// ---- the user's store, and logs

TEST(DecideFitness, OfLogs) {
  UserHome user;
  DecideRequest request;
  request.before = user.write("old.jsonl", log_line("a", 1) + log_line("b", 1));
  request.after = user.write("new.jsonl", log_line("c", 0) + log_line("d", 0));
  const auto decided = decide_fitness(request);
  ASSERT_TRUE(decided.record) << base::render(decided.diagnostics);
  EXPECT_TRUE(decided.not_kept.empty()) << base::render(decided.not_kept);
  EXPECT_EQ(decided.record->before.executions, (std::vector<std::string>{"b", "a"}));
  EXPECT_GT(decided.record->decision.new_score, decided.record->decision.old_score);
  // The decision is stored, the executions are not.
  const auto store = *store::open_sqlite(user.home());
  EXPECT_TRUE(store->archive().executions().list({})->items.empty());
  EXPECT_EQ(store->archive().executions().decisions({})->items.size(), 1u);
}

TEST(DecideFitness, ANumberIsNoFileOfThatName) {
  UserHome user;
  user.write("80", log_line("a", 0));
  DecideRequest request;
  request.before = "70";
  request.after = "80";
  const auto decided = decide_fitness(request);
  ASSERT_TRUE(decided.record) << base::render(decided.diagnostics);
  EXPECT_EQ(decided.record->after.scores, std::vector<double>{80});
}

TEST(DecideFitness, StandardInputIsReadOnce) {
  UserHome user;
  DecideRequest request;
  request.before = request.after = "-";
  const auto decided = decide_fitness(request);
  EXPECT_FALSE(decided.record);
  EXPECT_EQ(all_codes(decided.diagnostics), Found{Code::bad_usage});
}

TEST(DecideFitness, NumbersNeedNoStore) {
  UserHome user;
  user.write_home("vibecheck.db", std::string(5000, 'x'));
  DecideRequest request;
  request.before = "70";
  request.after = "80";
  const auto decided = decide_fitness(request);
  ASSERT_TRUE(decided.record);
  EXPECT_FALSE(decided.diagnostics.failed());
  EXPECT_TRUE(decided.not_kept.has(Code::store_damaged)) << base::render(decided.not_kept);
  request.before = "agent@v1";
  const auto of_agent = decide_fitness(request);
  EXPECT_FALSE(of_agent.record);
  EXPECT_TRUE(of_agent.diagnostics.has(Code::store_damaged));
}

TEST(DecideFitness, ARubricThatCannotBeReadDecidesNothing) {
  UserHome user;
  DecideRequest request;
  request.before = "70";
  request.after = "80";
  request.scoring.rubric = user.path("none.yaml");
  const auto decided = decide_fitness(request);
  EXPECT_FALSE(decided.record);
  EXPECT_EQ(all_codes(decided.diagnostics), Found{Code::cannot_read});
}

}  // namespace
}  // namespace vibe::app
