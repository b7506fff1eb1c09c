// Works on claimed runs, closes them, and charges for them.
#include "app/team/queued_run.h"

#include <gtest/gtest.h>

#include "app/server_world.h"
#include "app/team/close_run.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;
using score::RunStatus;

struct WorkingWorld : ServerWorld {
  using ServerWorld::ServerWorld;
  Credits credits{*tenants};
  QueueSettings settings;
  QueueSignals signals;
  RunSignals run_signals;

  // Claims the oldest run, with its job.
  store::Claim take() { return *std::move(*local()->store->queue().claim("test", 60)); }
  WorkEnd work(const store::Claim& held) {
    const auto own = local();
    return work_on(
        held, {settings, organisation.id, *own, credits, tenants->events(), signals, run_signals});
  }
  double spent() { return now(organisation).spent; }
  std::size_t waiting() { return local()->store->queue().depth()->waiting; }
};

TEST(QueuedRun, IsFinishedAndChargedFor) {
  WorkingWorld world;
  const auto id = world.queue(ServerWorld::suite("sums", 3));
  std::size_t results = 0;
  world.settings.on_result = [&](const score::Result&) { ++results; };
  world.settings.version = "1.2.3";
  EXPECT_EQ(world.work(world.take()), WorkEnd::done);
  const auto run = world.run(id);
  EXPECT_EQ(run.status, RunStatus::completed) << run.error;
  EXPECT_EQ(run.version, "1.2.3");
  EXPECT_EQ(results, 3u);
  EXPECT_NEAR(world.spent(), 3 * kAnswerCost, 1e-9);
  EXPECT_EQ(world.waiting(), 0u);
  EXPECT_FALSE(world.run_signals.is_preparing);
}

TEST(QueuedRun, AStopThatWasAskedForIsKept) {
  WorkingWorld world;
  const auto id = world.queue(ServerWorld::suite("sums", 3));
  ASSERT_EQ(world.local()->runs().request_stop(id), true);
  EXPECT_EQ(world.work(world.take()), WorkEnd::done);
  EXPECT_EQ(world.run(id).status, RunStatus::cancelled);
  EXPECT_TRUE(world.wire.asked().empty());
  EXPECT_EQ(world.spent(), 0);
}

TEST(QueuedRun, OneThatIsCancelledMeanwhileIsNotBegun) {
  WorkingWorld world;
  const auto id = world.queue(ServerWorld::suite("sums", 3));
  world.run_signals.is_cancelled = true;
  EXPECT_EQ(world.work(world.take()), WorkEnd::done);
  EXPECT_EQ(world.run(id).status, RunStatus::cancelled);
  EXPECT_TRUE(world.wire.asked().empty());
}

TEST(QueuedRun, AServerThatEndsHandsItBack) {
  WorkingWorld world;
  const auto id = world.queue(ServerWorld::suite("sums", 3));
  world.signals.drain();
  EXPECT_EQ(world.work(world.take()), WorkEnd::done);
  EXPECT_EQ(world.run(id).status, RunStatus::queued);
  EXPECT_EQ(world.waiting(), 1u);
  EXPECT_TRUE(world.wire.asked().empty());
}

TEST(QueuedRun, OneThatCannotBePreparedFails) {
  WorkingWorld world;
  ASSERT_TRUE(world.local()->variables().set("word", "please"));
  std::string suite = ServerWorld::suite("sums", 1);
  suite.replace(suite.find("sums asks"), 4, "\"{{var('word')}}\"");
  suite.replace(suite.find(" asks 0"), 7, "");
  const auto id = world.queue(suite);
  ASSERT_TRUE(world.local()->variables().remove("word"));
  EXPECT_EQ(world.work(world.take()), WorkEnd::done);
  const auto run = world.run(id);
  EXPECT_EQ(run.status, RunStatus::failed);
  EXPECT_NE(run.error.find("word"), std::string::npos) << run.error;
  EXPECT_EQ(world.waiting(), 0u);
}

TEST(QueuedRun, OneThatNobodyGetsAnywhereWithIsGivenUp) {
  WorkingWorld world;
  const auto id = world.queue(ServerWorld::suite("sums", 1));
  auto claim = world.take();
  claim.earlier_claims = 10;
  EXPECT_EQ(world.work(claim), WorkEnd::done);
  EXPECT_EQ(world.run(id).status, RunStatus::failed);
  EXPECT_NE(world.run(id).error.find("10"), std::string::npos);
  EXPECT_TRUE(world.wire.asked().empty());
}

TEST(QueuedRun, AWorkerThatLostItLeavesItAlone) {
  WorkingWorld world;
  const auto id = world.queue(ServerWorld::suite("sums", 1));
  const auto lost = world.take();
  ASSERT_TRUE(world.local()->store->queue().hand_back(lost.held.hold));
  const auto other = world.take();  // another worker has it now
  EXPECT_EQ(world.work(lost), WorkEnd::done);
  EXPECT_TRUE(world.wire.asked().empty());
  EXPECT_EQ(world.work(other), WorkEnd::done);
  EXPECT_EQ(world.run(id).status, RunStatus::completed);
}

TEST(QueuedRun, OutOfCreditsItSaysSo) {
  store::Limits limits;
  limits.credits = 1.5 * kAnswerCost;
  WorkingWorld world(limits);
  const auto id = world.queue(ServerWorld::suite("sums", 3, 1));
  EXPECT_EQ(world.work(world.take()), WorkEnd::done);
  const auto run = world.run(id);
  EXPECT_EQ(run.results, 1u);
  EXPECT_NE(run.error.find("credits"), std::string::npos) << run.error;
  EXPECT_LE(world.spent(), *limits.credits);
}

TEST(QueuedRun, WhatARecordingCostIsNotChargedAgain) {
  const base::TempFolder files = base::TempFolder::make().value();
  const std::string file = files.path() + "/answers.jsonl";
  test::write_bytes(file, recording_of(2));
  WorkingWorld world({}, {false, false, false, {"replay:" + file}, false});
  const auto id = world.queue(suite_of(2, "", "replay:" + file));
  EXPECT_EQ(world.work(world.take()), WorkEnd::done);
  EXPECT_EQ(world.run(id).status, RunStatus::completed) << world.run(id).error;
  EXPECT_EQ(world.spent(), 0);
}

// ---- signals

TEST(QueueSignals, AStopEndsEverySleep) {
  QueueSignals signals;
  EXPECT_FALSE(signals.drains() || signals.stops());
  EXPECT_TRUE(signals.sleep(std::chrono::milliseconds(0)));
  signals.stop();
  EXPECT_TRUE(signals.drains() && signals.stops());
  EXPECT_FALSE(signals.sleep(kLong));
}

// ---- closing runs

struct ClosingWorld : WorkingWorld {
  using WorkingWorld::WorkingWorld;

  // Claims a run of four samples and adds `results` results, as an earlier worker did.
  store::Claim claim_with(std::uint32_t results) {
    queue(ServerWorld::suite("sums", 4));
    auto held = take();
    for (std::uint32_t i = 0; i < results; ++i) {
      score::Result one;
      one.sample = i;
      one.eval_name = std::to_string(i + 1);
      one.status = i == 0 ? score::ResultStatus::passed : score::ResultStatus::failed;
      one.paid = 0.25;
      EXPECT_TRUE(local()->store->journal().add(held.held.hold, one));
    }
    return held;
  }
};

TEST(CloseRun, ACancelledRunKeepsTheResultsThatItHas) {
  ClosingWorld world;
  const auto claim = world.claim_with(2);
  const auto own = world.local();
  ASSERT_TRUE(cancel_run(claim, {world.organisation.id, *own, world.credits}));
  const auto run = world.run(claim.run.id);
  EXPECT_EQ(run.status, RunStatus::cancelled);
  EXPECT_EQ(run.results, 2u);
  EXPECT_EQ(run.passed, 1u);
  EXPECT_EQ(run.score, 50);
  EXPECT_EQ(run.error, stopped_after(2, 4));
  EXPECT_TRUE(run.completed_at);
  EXPECT_FALSE(own->runs().figures(run.id)->empty());
  EXPECT_NEAR(world.spent(), 0.5, 1e-12);
}

TEST(CloseRun, AFailedRunSaysWhy) {
  ClosingWorld world;
  const auto claim = world.claim_with(0);
  const auto own = world.local();
  ASSERT_TRUE(fail_run(claim, "its cases are gone", {world.organisation.id, *own, world.credits}));
  const auto run = world.run(claim.run.id);
  EXPECT_EQ(run.status, RunStatus::failed);
  EXPECT_EQ(run.error, "its cases are gone");
  EXPECT_FALSE(run.score);  // there are no results
  EXPECT_EQ(world.spent(), 0);
}

TEST(CloseRun, IsChargedOnce) {
  ClosingWorld world;
  const auto claim = world.claim_with(2);
  ASSERT_TRUE(world.credits.charge(world.organisation.id, {claim.run.id, claim.queued_after}, 0.4));
  const auto own = world.local();
  ASSERT_TRUE(cancel_run(claim, {world.organisation.id, *own, world.credits}));
  EXPECT_NEAR(world.spent(), 0.5, 1e-12);
}

TEST(CloseRun, NotByAWorkerThatLostIt) {
  ClosingWorld world;
  const auto claim = world.claim_with(1);
  const auto own = world.local();
  ASSERT_TRUE(own->store->queue().hand_back(claim.held.hold));
  const auto closed = cancel_run(claim, {world.organisation.id, *own, world.credits});
  ASSERT_FALSE(closed);
  EXPECT_EQ(all_codes(closed.error()), Found{Code::lease_lost});
  EXPECT_EQ(world.run(claim.run.id).status, RunStatus::queued);
}

// ---- credits

TEST(RunCredits, AreChargedByWhatWasPaidInAll) {
  WorkingWorld world;
  const auto charge = [&](double dollars) {
    return world.credits.charge(world.organisation.id, {"run", 0}, dollars).has_value();
  };
  EXPECT_TRUE(charge(0));
  EXPECT_EQ(world.spent(), 0);
  EXPECT_TRUE(charge(1) && charge(1.5) && charge(1));
  EXPECT_DOUBLE_EQ(world.spent(), 1.5);
  ASSERT_TRUE(world.credits.charge(world.organisation.id, {"run", 7}, 1));  // queued again
  EXPECT_DOUBLE_EQ(world.spent(), 2.5);
  const auto nobody = world.credits.charge("nobody", {"run", 0}, 1);
  ASSERT_FALSE(nobody);
  EXPECT_EQ(all_codes(nobody.error()), Found{Code::not_found});
}

TEST(RunCredits, RunsOfAnOrganisationShareALimit) {
  store::Limits limits;
  limits.credits = 1;
  WorkingWorld world(limits);
  const auto first = world.credits.spending_limit(world.organisation.id),
             second = world.credits.spending_limit(world.organisation.id);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_TRUE((*first)->is_limited());
  auto organisation = world.now(world.organisation);
  organisation.limits.credits.reset();
  world.credits.note(organisation);  // also applies to running runs
  EXPECT_FALSE((*first)->is_limited());
  EXPECT_FALSE(world.credits.spending_limit("nobody"));
}

TEST(RunCredits, WhatWasPaidSinceItWasQueuedCounts) {
  ClosingWorld world;
  auto claim = world.claim_with(3);
  const auto own = world.local();
  const auto all = *own->runs().results(claim.run.id);
  EXPECT_DOUBLE_EQ(*paid_since_queued(claim, all, own->store->feed()), 0.75);
  claim.queued_after = own->store->feed().arrivals(claim.run.id, 0, 2)->back().number;
  EXPECT_DOUBLE_EQ(*paid_since_queued(claim, all, own->store->feed()), 0.25);
}

}  // namespace
}  // namespace vibe::app
