// Stores executions and decisions locally or on a server.
#include "app/agents/keeper.h"

#include <gtest/gtest.h>

#include "app/agents/executions.h"
#include "app/faulty_store.h"
#include "app/kept_executions.h"
#include "app/served_world.h"
#include "app/world.h"
#include "base/text.h"

namespace vibe::app {
namespace {

using base::Code;

fitness::Scored kept_session(const std::string& id, const std::string& file = "/logs/a.jsonl") {
  fitness::Scored out;
  out.execution = test::full_session();
  out.execution.id = id;
  out.execution.file = file;
  out.fitness = fitness::score(out.execution, fitness::default_rubric());
  return out;
}

fitness::DecisionRecord decision_of(const std::string& before, const std::string& after) {
  fitness::DecisionRecord out;
  out.id = base::uuid7(1);
  out.made_at = 1;
  out.decision = fitness::decide(70, 80, fitness::default_rubric().decision, 1);
  out.before = {before, {70}, {}};
  out.after = {after, {80}, {}};
  out.rubric = "default";
  return out;
}

TEST(LocalKeeper, KeepsAllAtTheEnd) {
  KeptExecutions kept;
  const auto keeper = make_local_keeper(kept.store->journal(), {.agent = {}, .now = 9});
  EXPECT_TRUE(keeper->takes_rubrics());
  ASSERT_TRUE(keeper->add(kept_session("one"), fitness::default_rubric()));
  ASSERT_TRUE(keeper->add(kept_session("two"), fitness::default_rubric()));
  EXPECT_TRUE(kept.executions().list({})->items.empty());
  ASSERT_TRUE(keeper->finish());
  EXPECT_EQ(kept.executions().list({})->items.size(), 2u);
  ASSERT_TRUE(keeper->finish());  // nothing is stored twice
  EXPECT_EQ(kept.executions().list({})->items.size(), 2u);
}

TEST(LocalKeeper, WhatIsScoredAgainIsReplaced) {
  KeptExecutions kept;
  for (int i = 0; i < 2; ++i) {
    const auto keeper = make_local_keeper(kept.store->journal(), {.agent = {}, .now = i});
    ASSERT_TRUE(keeper->add(kept_session("one"), fitness::default_rubric()));
    ASSERT_TRUE(keeper->finish());
  }
  EXPECT_EQ(kept.executions().list({})->items.size(), 1u);
}

TEST(LocalKeeper, WhatTheStoreDoesNotTakeIsSaid) {
  KeptExecutions kept;
  test::FaultyStore store(*kept.store);
  store.faults.keep = 0;
  store.faults.decision = 0;
  store.faults.failing = 2;
  const auto keeper = make_local_keeper(store.journal(), {});
  ASSERT_TRUE(keeper->add(kept_session("one"), fitness::default_rubric()));
  EXPECT_EQ(all_codes(keeper->finish().error()), Found{Code::store_unusable});
  auto record = decision_of("70", "80");
  EXPECT_EQ(all_codes(keeper->add_decision(record).error()), Found{Code::store_unusable});
}

TEST(LocalKeeper, KeepsADecisionAsItIs) {
  KeptExecutions kept;
  const auto keeper = make_local_keeper(kept.store->journal(), {});
  auto record = decision_of("70", "80");
  const std::string id = record.id;
  ASSERT_TRUE(keeper->add_decision(record));
  EXPECT_EQ(record.id, id);
  EXPECT_EQ(kept.executions().decisions({})->items.at(0).id, id);
}

// ---- on a server

TEST(RemoteKeeper, AServerScoresThemItself) {
  ServedWorld served;
  const auto keeper =
      make_remote_keeper(*served.server, {.agent = fitness::AgentVersion{"mine", "v1"}, .now = 1});
  EXPECT_FALSE(keeper->takes_rubrics());
  auto first = kept_session("one");
  first.fitness.score = 99.99;  // the server does not trust this score
  ASSERT_TRUE(keeper->add(first, fitness::default_rubric()));
  ASSERT_TRUE(keeper->add(kept_session("two", "/logs/b.jsonl"), fitness::default_rubric()));
  const auto finished = keeper->finish();
  ASSERT_TRUE(finished) << base::render(finished.error());
  const auto all = served.archive->executions().list({})->items;
  ASSERT_EQ(all.size(), 2u);
  for (const auto& one : all) {
    EXPECT_EQ(one.agent, (fitness::AgentVersion{"mine", "v1"}));
    EXPECT_NE(one.score, 99.99);
  }
}

TEST(RemoteKeeper, SendsTheLinesOfEachLogTogether) {
  StubServer stub;
  stub.answer("POST /api/executions", "{}");
  const auto keeper = make_remote_keeper(*stub.server, {});
  for (const char* file : {"/logs/a.jsonl", "/logs/b.jsonl", "/logs/a.jsonl", ""})
    ASSERT_TRUE(keeper->add(kept_session("s", file), fitness::default_rubric()));
  EXPECT_TRUE(stub.asked().empty());
  ASSERT_TRUE(keeper->finish());
  const auto sent = stub.asked("POST /api/executions");
  ASSERT_EQ(sent.size(), 3u);
  for (const auto& one : sent) {
    const bool is_first = !one.query.empty() && one.query[0].second == "/logs/a.jsonl";
    EXPECT_EQ(std::ranges::count(one.body, '\n'), is_first ? 2 : 1);
    EXPECT_EQ(one.query.size(), &one == &sent[0] ? 0u : 1u);  // standard input has no name
  }
}

TEST(RemoteKeeper, WhatTheServerRefusesIsSaid) {
  StubServer stub;
  stub.answer("POST /api/executions", R"({"error": "no"})", 403);
  stub.answer("POST /api/decisions", R"({"error": "no"})", 403);
  const auto keeper = make_remote_keeper(*stub.server, {});
  ASSERT_TRUE(keeper->add(kept_session("one"), fitness::default_rubric()));
  EXPECT_EQ(all_codes(keeper->finish().error()), Found{Code::refused_key});
  auto record = decision_of("70", "80");
  const auto before = record.id;
  EXPECT_EQ(all_codes(keeper->add_decision(record).error()), Found{Code::refused_key});
  EXPECT_EQ(record.id, before);
}

TEST(RemoteKeeper, AServerDecidesAgainByWhatItKeeps) {
  UserHome user;  // the current folder has no file named `mine@v1`
  StubServer stub;
  stub.answer("POST /api/decisions",
              R"({"decision_id": "theirs", "made_at": "2026-03-02T10:00:00Z"})");
  const auto keeper = make_remote_keeper(*stub.server, {});
  auto record = decision_of("mine@v1", user.write("log.jsonl", "x"));
  record.before.executions = record.after.executions = {"an-id"};
  ASSERT_TRUE(keeper->add_decision(record));
  EXPECT_EQ(record.id, "theirs");
  EXPECT_EQ(record.made_at, 1772445600000);
  const auto body = base::parse_json(stub.asked("POST /api/decisions").at(0).body);
  EXPECT_EQ(body->text_of("old"), "mine@v1");  // the server has executions of this agent
  EXPECT_EQ(body->number_of("new"), 80);       // the server does not have this log
  EXPECT_EQ(body->integer_of("seed"), 1);
}

}  // namespace
}  // namespace vibe::app
