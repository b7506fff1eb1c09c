// Runs suites to their end, and looks at the store meanwhile.
#include "app/runs/run_suite.h"

#include <gtest/gtest.h>

#include "app/faulty_store.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;
using score::RunStatus;

void fail_question(Machine& machine, int number) {
  machine.wire.set_status([text = "question " + std::to_string(number)](const std::string& body) {
    return body.find(text) == std::string::npos ? 200 : 400;
  });
}

TEST(RunSuite, KeepsTheRunWithItsScore) {
  Machine machine;
  const auto path = machine.write("suite.yaml", suite_of(3) + "score: {formula: 10 * e1}\n");
  auto prepared = machine.prepare(path);
  ASSERT_TRUE(prepared) << base::render(machine.out);
  prepared->version = "1.2.3";
  SeenRuns seen;
  const auto finished = machine.run(*prepared, seen);
  ASSERT_EQ(finished.size(), 1u);
  const FinishedRun& done = finished[0];
  EXPECT_TRUE(done.is_kept);
  EXPECT_TRUE(done.problems.empty());
  EXPECT_EQ(done.score.value, 10);
  EXPECT_EQ(seen.started, std::vector{done.run.id});
  EXPECT_EQ(seen.results.size(), 3u);
  const auto run = machine.stored(done.run.id);
  EXPECT_EQ(run.status, RunStatus::completed);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.score, 10);
  EXPECT_EQ(run.version, "1.2.3");
  EXPECT_EQ(run.results, 3u);
  EXPECT_EQ(run.passed, 3u);
  EXPECT_NEAR(run.total_cost.value_or(0), 3 * kAnswerCost, 1e-9);
  EXPECT_TRUE(run.started_at && run.completed_at && run.duration);
  EXPECT_FALSE(machine.local.runs().figures(run.id)->empty());
  EXPECT_EQ(machine.local.suites().last("sums").value()->path, path);
}

TEST(RunSuite, ResultsAreInTheOrderOfThePlan) {
  Machine machine;
  const auto done = machine.run(machine.write("suite.yaml", suite_of(9, "  threads: 3\n")));
  ASSERT_EQ(done.results.size(), 9u);
  for (std::uint32_t i = 0; i < 9; ++i) EXPECT_EQ(done.results[i].sample, i);
}

// Reads the store, as another process does, on every call.
class Looking final : public SeenRuns {
 public:
  explicit Looking(const test::Folder& folder) : store_(folder.open()) {}

  void on_start(std::span<const PreparedModel> runs) override {
    SeenRuns::on_start(runs);
    const auto run = store_->archive().runs().find(runs[0].run.id);
    ASSERT_TRUE(run && *run);
    EXPECT_EQ((*run)->status, RunStatus::running);
  }
  void on_result(std::size_t run, const score::Result& result) override {
    SeenRuns::on_result(run, result);
    const auto kept = store_->archive().runs().results(started[run]);
    EXPECT_TRUE(std::ranges::any_of(
        *kept, [&](const score::Result& one) { return one.sample == result.sample; }));
  }

 private:
  std::unique_ptr<store::Store> store_;
};

TEST(RunSuite, EveryResultIsInTheStoreBeforeItIsShown) {
  Machine machine;
  auto prepared = machine.prepare(machine.write("suite.yaml", suite_of(4)));
  ASSERT_TRUE(prepared);
  Looking looking(machine.folder);
  machine.run(*prepared, looking);
  EXPECT_EQ(looking.results.size(), 4u);
}

TEST(RunSuite, ModelsRunSideBySide) {
  Machine machine;
  auto request = request_for(machine.write("suite.yaml", suite_of(2)));
  request.models = {"openai/gpt-4o-mini", "openai/gpt-4o"};
  auto prepared = machine.prepare(request);
  ASSERT_TRUE(prepared) << base::render(machine.out);
  SeenRuns seen;
  const auto finished = machine.run(*prepared, seen);
  ASSERT_EQ(finished.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(finished[i].run.model, request.models[i]);
    EXPECT_EQ(machine.stored(seen.started[i]).model, request.models[i]);
    EXPECT_EQ(finished[i].results.size(), 2u);
    EXPECT_EQ(std::ranges::count(seen.results, i, &std::pair<std::size_t, score::Result>::first),
              2);
  }
}

// ---- how runs end

TEST(RunSuite, SomeErrorsAreAPartialFailure) {
  Machine machine;
  fail_question(machine, 2);
  const auto done = machine.run(machine.write("suite.yaml", suite_of(3)));
  EXPECT_EQ(done.run.status, RunStatus::partial_failure);
  EXPECT_EQ(done.run.errors, 1u);
  EXPECT_EQ(done.run.passed, 2u);
  EXPECT_TRUE(done.score.value);
  // The run's error quotes the first sample's.
  EXPECT_NE(done.run.error.find("1 of 3"), std::string::npos) << done.run.error;
  EXPECT_NE(done.run.error.find(done.results[1].error.substr(0, 20)), std::string::npos)
      << done.run.error;
}

TEST(RunSuite, NothingButErrorsHasNoScore) {
  Machine machine;
  machine.wire.set_status([](const std::string&) { return 400; });
  const auto done =
      machine.run(machine.write("suite.yaml", suite_of(2) + "score: {on_undefined: 5}\n"));
  EXPECT_EQ(done.run.status, RunStatus::failed);
  EXPECT_FALSE(done.score.value);
  EXPECT_FALSE(machine.stored(done.run.id).score);
}

TEST(RunSuite, AStopBeforeAnyAnswerIsACancelledRun) {
  Machine machine;
  machine.wire.hold();
  auto prepared = machine.prepare(machine.write("suite.yaml", suite_of(3)));
  ASSERT_TRUE(prepared);
  SeenRuns seen;
  seen.stops_after = 0;
  const auto done = std::move(machine.run(*prepared, seen).front());
  EXPECT_EQ(done.run.status, RunStatus::cancelled);
  EXPECT_TRUE(done.is_kept);
  EXPECT_EQ(machine.stored(done.run.id).status, RunStatus::cancelled);
  EXPECT_NE(done.run.error.find("of 3"), std::string::npos) << done.run.error;
}

// Asks the run to stop through the store, as another process does.
class StoppedElsewhere final : public SeenRuns {
 public:
  explicit StoppedElsewhere(const test::Folder& folder) : store_(folder.open()) {}
  void on_tick() override {
    if (!std::exchange(has_asked_, true)) {
      EXPECT_EQ(store_->archive().runs().request_stop(started[0]), true);
    }
  }

 private:
  std::unique_ptr<store::Store> store_;
  bool has_asked_ = false;
};

TEST(RunSuite, AnotherProcessMayStopIt) {
  Machine machine;
  machine.wire.hold();
  auto prepared = machine.prepare(machine.write("suite.yaml", suite_of(3)));
  ASSERT_TRUE(prepared);
  StoppedElsewhere stopped(machine.folder);
  const auto done = std::move(machine.run(*prepared, stopped).front());
  EXPECT_EQ(done.run.status, RunStatus::cancelled);
  EXPECT_EQ(done.run.results, 0u);
}

TEST(RunSuite, WhatTakesTooLongIsTimedOut) {
  Machine machine;
  machine.wire.hold();
  auto request = request_for(machine.write("suite.yaml", suite_of(2)));
  request.run_timeout = 0.001;
  const auto done = machine.run(request);
  EXPECT_EQ(done.run.status, RunStatus::timed_out);
  EXPECT_EQ(done.run.results, 0u);
  EXPECT_NE(done.run.error.find("0 of 2"), std::string::npos) << done.run.error;
}

TEST(RunSuite, ABudgetIsNotOverspent) {
  Machine machine;
  auto request = request_for(machine.write("suite.yaml", suite_of(3, "  threads: 1\n")));
  request.budget = 1.5 * kAnswerCost;
  const auto done = machine.run(request);
  EXPECT_EQ(done.run.results, 1u);
  EXPECT_LE(done.run.total_cost.value_or(0), *request.budget);
  EXPECT_EQ(machine.wire.asked().size(), 1u);
  EXPECT_NE(done.run.error.find("1 of 3"), std::string::npos) << done.run.error;
}

TEST(RunSuite, ABudgetThatIsNotEnoughForOneSampleSaysWhatWouldBe) {
  Machine machine;
  auto request = request_for(machine.write("suite.yaml", suite_of(1)));
  request.budget = 0;
  const auto done = machine.run(request);
  EXPECT_EQ(done.run.results, 0u);
  EXPECT_TRUE(machine.wire.asked().empty());
  EXPECT_FALSE(done.score.value);
  EXPECT_NE(done.run.error.find("the first sample"), std::string::npos) << done.run.error;
}

TEST(RunSuite, AReplayNeedsNoBudget) {
  Machine machine;
  machine.write("answers.jsonl", recording_of(2, {2}));
  auto request = request_for(machine.write("s.yaml", suite_of(2, "", "replay:answers.jsonl")));
  request.budget = 0;
  const auto done = machine.run(request);
  EXPECT_EQ(done.run.status, RunStatus::completed) << done.run.error;
  EXPECT_EQ(done.run.passed, 1u);
  EXPECT_NEAR(done.run.total_cost.value_or(0), 0.002, 1e-12);  // the recorded cost
}

TEST(RunSuite, ARunThatIsHandedOverIsNotFinished) {
  Machine machine;
  auto prepared = machine.prepare(machine.write("suite.yaml", suite_of(9, "  threads: 1\n")));
  ASSERT_TRUE(prepared);
  SeenRuns seen;
  seen.is_handed_over = true;
  const auto done = std::move(machine.run(*prepared, seen).front());
  EXPECT_TRUE(done.is_kept);
  EXPECT_EQ(done.run.status, RunStatus::running);
  EXPECT_FALSE(done.run.score || done.run.completed_at);
  EXPECT_TRUE(machine.local.runs().figures(done.run.id)->empty());
}

// ---- the cache

TEST(RunSuite, AnswersAreKeptForLaterRuns) {
  Machine machine;
  auto request = request_for(machine.write("suite.yaml", suite_of(2)));
  request.cache = true;
  machine.run(request);
  EXPECT_EQ(machine.wire.asked().size(), 2u);
  const auto again = machine.run(request);
  EXPECT_EQ(machine.wire.asked().size(), 2u);
  for (const auto& result : again.results) {
    EXPECT_TRUE(result.from_cache);
    EXPECT_EQ(result.paid, 0);
  }
  EXPECT_EQ(again.run.passed, 2u);
  request.cache = false;
  machine.run(request);
  EXPECT_EQ(machine.wire.asked().size(), 4u);
}

TEST(RunSuite, FailuresAreAskedAgain) {
  Machine machine;
  auto request = request_for(machine.write("suite.yaml", suite_of(2)));
  request.cache = true;
  fail_question(machine, 2);
  EXPECT_EQ(machine.run(request).run.errors, 1u);
  machine.wire.set_status([](const std::string&) { return 200; });
  EXPECT_EQ(machine.run(request).run.errors, 0u);
  EXPECT_EQ(machine.wire.asked().size(), 3u);
}

// ---- earlier runs

TEST(RunSuite, AnEarlierRunForgetsItsScoreAndKeepsItsResults) {
  Machine machine;
  fail_question(machine, 2);
  const auto first = machine.run(machine.write("suite.yaml", suite_of(3)));
  ASSERT_TRUE(first.run.score);
  machine.wire.set_status([](const std::string&) { return 200; });
  RunRequest request;
  request.earlier = first.run.id;
  request.how = Continue::failed;
  auto prepared = machine.prepare(request);
  ASSERT_TRUE(prepared) << base::render(machine.out);
  ASSERT_TRUE(start_suite(*prepared, *machine.local.store, machine.out));
  const auto meanwhile = machine.stored(first.run.id);
  EXPECT_EQ(meanwhile.status, RunStatus::running);
  EXPECT_EQ(meanwhile.results, 3u);
  EXPECT_EQ(meanwhile.error, "");
  EXPECT_FALSE(meanwhile.score || meanwhile.completed_at);
  EXPECT_TRUE(meanwhile.metrics.empty());
  SeenRuns seen;
  const auto done = std::move(run_suite(*prepared, *machine.local.store, seen).front());
  EXPECT_EQ(seen.results.size(), 1u);
  EXPECT_EQ(done.run.id, first.run.id);
  EXPECT_EQ(done.run.status, RunStatus::completed);
  EXPECT_EQ(done.run.results, 3u);
  EXPECT_EQ(done.run.created_at, first.run.created_at);
  EXPECT_GT(done.run.score, first.run.score);
  EXPECT_EQ(machine.local.runs().list({})->runs.size(), 1u);
}

// An old version of the suite does not become its newest one.
TEST(RunSuite, SuitesRunSideBySide) {
  Machine machine;
  const auto old = machine.run(machine.write("suite.yaml", suite_of(2))).run;
  const auto path = machine.write("suite.yaml", suite_of(3));
  RunRequest again;
  again.earlier = old.id;
  again.how = Continue::again;
  std::vector<Prepared> suites;
  for (const auto& request : {again, request_for(path)}) {
    auto prepared = machine.prepare(request);
    ASSERT_TRUE(prepared) << base::render(machine.out);
    ASSERT_TRUE(start_suite(*prepared, *machine.local.store, machine.out));
    suites.push_back(*std::move(prepared));
  }
  SeenRuns seen;
  const auto done = run_suites(suites, *machine.local.store, seen);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].run.results, 2u);
  EXPECT_EQ(done[1].run.results, 3u);
  EXPECT_EQ(machine.stored(done[0].run.id).suite_text, old.suite_text);
  EXPECT_EQ(machine.stored(old.id).results, 2u);
  const auto newest = machine.local.suites().last(old.suite_name);
  ASSERT_TRUE(newest && *newest);
  EXPECT_EQ((*newest)->text, done[1].run.suite_text);
}

// ---- a store that fails

TEST(RunSuite, ARunThatCannotBeBegunIsNotThere) {
  Machine machine;
  auto request = request_for(machine.write("suite.yaml", suite_of(1)));
  request.models = {"openai/gpt-4o-mini", "openai/gpt-4o"};
  auto prepared = machine.prepare(request);
  ASSERT_TRUE(prepared);
  test::FaultyStore store(*machine.local.store);
  store.faults.begin = 1;
  EXPECT_FALSE(start_suite(*prepared, store, machine.out));
  EXPECT_EQ(all_codes(machine.out), Found{Code::store_unusable});
  EXPECT_TRUE(machine.wire.asked().empty());
  const auto runs = machine.local.runs().list({})->runs;
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].model, "openai/gpt-4o-mini");
}

struct FaultyRun : Machine {
  SeenRuns seen;
  int failing = 1;

  // With a store that fails after `before` calls.
  FinishedRun run_with(int test::Faults::* call, int before) {
    auto prepared = prepare(write("suite.yaml", suite_of(3, "  threads: 1\n")));
    EXPECT_TRUE(prepared) << base::render(out);
    test::FaultyStore store(*local.store);
    EXPECT_TRUE(start_suite(*prepared, store, out));
    store.faults.*call = before;
    store.faults.failing = failing;
    return std::move(run_suite(*prepared, store, seen).front());
  }
};

TEST(RunSuite, AResultThatCannotBeKeptEndsTheRun) {
  FaultyRun world;
  const auto done = world.run_with(&test::Faults::add, 1);
  EXPECT_EQ(all_codes(done.problems), Found{Code::store_unusable});
  EXPECT_EQ(done.run.status, RunStatus::failed);
  EXPECT_EQ(world.seen.results.size(), 1u);  // what is not kept is not shown
  EXPECT_EQ(done.results.size(), 1u);
  EXPECT_TRUE(done.is_kept);
  EXPECT_NE(world.stored(done.run.id).error, "");
}

TEST(RunSuite, AResultIsKeptByTryingAgain) {
  FaultyRun world;
  world.failing = 3;
  world.seen.retries = 3;
  const auto done = world.run_with(&test::Faults::add, 1);
  EXPECT_TRUE(done.problems.empty());
  EXPECT_EQ(done.run.status, RunStatus::completed);
  EXPECT_EQ(world.seen.results.size(), 3u);
  EXPECT_EQ(world.wire.asked().size(), 3u);  // nothing was asked twice
  EXPECT_EQ(all_codes(world.seen.troubles), Found(3, Code::store_unusable));
}

TEST(RunSuite, AnEndThatCannotBeKeptIsAProblem) {
  FaultyRun world;
  const auto done = world.run_with(&test::Faults::write, 0);
  EXPECT_FALSE(done.is_kept);
  EXPECT_EQ(all_codes(done.problems), Found{Code::store_unusable});
  EXPECT_EQ(done.score.value, 100);  // the score can still be shown
  EXPECT_EQ(world.stored(done.run.id).status, RunStatus::running);
}

TEST(RunSuite, AnEndIsKeptByTryingAgain) {
  FaultyRun world;
  world.seen.retries = 1;
  const auto done = world.run_with(&test::Faults::write, 0);
  EXPECT_TRUE(done.is_kept);
  EXPECT_TRUE(done.problems.empty());
  EXPECT_EQ(world.stored(done.run.id).status, RunStatus::completed);
}

TEST(RunSuite, IsNotFinishedBeforeItsWatcherIsReady) {
  Machine machine;
  auto prepared = machine.prepare(machine.write("suite.yaml", suite_of(1)));
  ASSERT_TRUE(prepared);
  SeenRuns seen;
  seen.end = base::fail(Code::store_unusable, {}, "cannot be charged for");
  const auto done = std::move(machine.run(*prepared, seen).front());
  EXPECT_FALSE(done.is_kept);
  EXPECT_EQ(all_codes(done.problems), Found{Code::store_unusable});
  EXPECT_EQ(machine.stored(done.run.id).status, RunStatus::running);
}

}  // namespace
}  // namespace vibe::app
