// Finds, explains and stops stored runs.
#include "app/runs/history.h"

#include <gtest/gtest.h>

#include "app/server_world.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;
using score::RunStatus;

TEST(FindRun, ByIdByItsBeginningOrTheLast) {
  Machine machine;
  const auto path = machine.write("suite.yaml", suite_of(1));
  const auto first = machine.run(path).run, second = machine.run(path).run;
  auto& runs = machine.local.runs();
  EXPECT_EQ(find_run(runs, first.id)->id, first.id);
  EXPECT_EQ(find_run(runs, second.id)->id, second.id);
  EXPECT_EQ(find_run(runs, "last")->id, second.id);
  EXPECT_EQ(all_codes(find_run(runs, "0000-none").error()), Found{Code::not_found});
}

TEST(FindRun, SaysWhatToDoNext) {
  Machine machine;
  const auto hint = [&](std::string_view id) {
    const auto found = find_run(machine.local.runs(), id);
    EXPECT_FALSE(found);
    EXPECT_EQ(all_codes(found.error()), Found{Code::not_found});
    return first_hint(found.error());
  };
  EXPECT_NE(hint("last").find("vibe check"), std::string::npos);
  EXPECT_NE(hint("0199").find("vibe get runs"), std::string::npos);
}

// ---- trends

TEST(Trends, OneOfEachSuiteAndModelInTheOrderOfTheRuns) {
  Machine machine;
  const auto a = machine.write("a.yaml", suite_of(1));
  std::string other = suite_of(1);
  other.replace(other.find("sums"), 4, "other");
  const auto b = machine.write("b.yaml", other);
  machine.run(a);
  machine.wire.set_status([](const std::string&) { return 400; });
  machine.run(a);  // all its samples are errors: not part of the trend
  machine.wire.set_status([](const std::string&) { return 200; });
  machine.run(b);
  auto request = request_for(a);
  request.models = {"openai/gpt-4o"};
  machine.run(request);
  machine.run(a);
  const auto runs = machine.local.runs().list({})->runs;
  ASSERT_EQ(runs.size(), 5u);
  const auto found = trends(machine.local.runs(), runs);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ((*found)[0].name, "sums openai/gpt-4o-mini");
  EXPECT_EQ((*found)[0].scores, (std::vector<std::optional<double>>{100, 100}));
  EXPECT_EQ((*found)[1].name, "sums openai/gpt-4o");
  EXPECT_EQ((*found)[1].scores, std::vector<std::optional<double>>{100});
  EXPECT_EQ((*found)[2].name, "other openai/gpt-4o-mini");
  EXPECT_EQ((*found)[2].scores, std::vector<std::optional<double>>{100});
}

// ---- explanations

TEST(ExplainRun, NeedsNeitherTheFileNorItsCases) {
  Machine machine;
  machine.write("answers.jsonl", recording_of(3, {2}));
  const auto path = machine.write(
      "suite.yaml", suite_of(3, "", "replay:answers.jsonl") +
                        "score: {formula: 10 * half + e3, metrics: {half: (e1 + e2) / 2}}\n");
  const auto done = machine.run(path);
  ASSERT_EQ(done.score.value, 6);
  std::filesystem::remove(path);
  const auto score = explain_run(machine.local.runs(), machine.stored(done.run.id));
  ASSERT_TRUE(score) << base::render(score.error());
  EXPECT_EQ(score->value, 6);
  ASSERT_EQ(score->metrics.size(), 1u);
  EXPECT_EQ(score->metrics[0].value, 0.5);
  EXPECT_EQ(score->samples, 3u);
  EXPECT_FALSE(score->explanation.children.empty());
}

TEST(ExplainRun, AScoreThatStandsInForAnUndefinedOneStays) {
  Machine machine;
  const auto done = machine.run(machine.write(
      "suite.yaml", suite_of(1) + "score: {formula: 1 / (e1 - 1), on_undefined: -1}\n"));
  ASSERT_EQ(done.score.value, -1);
  const auto score = explain_run(machine.local.runs(), machine.stored(done.run.id));
  ASSERT_TRUE(score);
  EXPECT_EQ(score->value, -1);
  EXPECT_NE(score->error, "");
}

TEST(ExplainRun, WithoutFiguresThereIsNothingToExplain) {
  Machine machine;
  auto prepared = machine.prepare(machine.write("suite.yaml", suite_of(1)));
  ASSERT_TRUE(prepared && start_suite(*prepared, *machine.local.store, machine.out));
  const auto run = machine.stored(prepared->runs[0].run.id);
  const auto running = explain_run(machine.local.runs(), run);
  ASSERT_FALSE(running);
  EXPECT_EQ(all_codes(running.error()), Found{Code::not_found});
  prepared.reset();
  ASSERT_EQ(machine.local.store->journal().mark_interrupted(), 1u);
  const auto interrupted = explain_run(machine.local.runs(), machine.stored(run.id));
  ASSERT_FALSE(interrupted);
  EXPECT_NE(first_hint(interrupted.error()).find("--resume"), std::string::npos);
}

// ---- stopping

TEST(StopRun, OnlyOneThatIsNotFinished) {
  Machine machine;
  auto prepared = machine.prepare(machine.write("suite.yaml", suite_of(1)));
  ASSERT_TRUE(prepared && start_suite(*prepared, *machine.local.store, machine.out));
  const std::string id = prepared->runs[0].run.id;
  auto& runs = machine.local.runs();
  const auto asked = stop_run(runs, "last");
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->id, id);
  EXPECT_EQ(machine.local.store->journal().stop_requested(id), true);
  SeenRuns seen;
  run_suite(*prepared, *machine.local.store, seen);
  const auto again = stop_run(runs, id);
  ASSERT_FALSE(again);
  EXPECT_EQ(all_codes(again.error()), Found{Code::bad_usage});
  EXPECT_EQ(all_codes(stop_run(runs, "0199").error()), Found{Code::not_found});
}

TEST(StopQueued, AsksAllThatWait) {
  ServerWorld world;
  std::vector<std::string> ids;
  constexpr int kMoreThanAPage = 60;
  for (int i = 0; i < kMoreThanAPage; ++i)
    ids.push_back(world.queue(ServerWorld::suite("sums", 1)));
  const auto at_work = world.claim(ids[0]);
  auto running = at_work.run;
  running.status = RunStatus::running;
  const auto local = world.local();
  ASSERT_TRUE(local->store->journal().write(at_work.held.hold, running, {}));
  const auto stopped = stop_queued(local->runs());
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->size(), 59u);
  EXPECT_EQ(local->store->journal().stop_requested(ids[0]), false);
  for (std::size_t i = 1; i < ids.size(); ++i)
    EXPECT_EQ(local->store->journal().stop_requested(ids[i]), true);
}

}  // namespace
}  // namespace vibe::app
