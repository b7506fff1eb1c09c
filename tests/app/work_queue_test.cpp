#include "app/team/work_queue.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "app/server_world.h"
#include "app/team/run_watch.h"
#include "store/limited_writes.h"
#include "store/sqlite.h"

namespace vibe::app {
namespace {

using score::RunStatus;

constexpr const char* kVersion = "1.2.3";  // a run has it as soon as its worker has begun

struct QueueWorld : ServerWorld {
  using ServerWorld::ServerWorld;

  std::atomic<int> troubles = 0;
  std::unique_ptr<WorkQueue> queue_;

  void start(std::size_t workers = 2, double grace = 30, double lease = 30) {
    QueueSettings settings;
    settings.workers = workers;
    settings.grace = grace;
    settings.lease = lease;
    settings.version = kVersion;
    settings.on_trouble = [this](const base::Diagnostics&) { ++troubles; };
    queue_ = WorkQueue::start(*tenants, settings);
  }
  bool ends(const store::Organisation& of, const std::string& id) {
    return wait_until([&] { return score::is_finished(run(of, id).status); });
  }
  bool ends(const std::string& id) { return ends(organisation, id); }
  // As a client does it.
  void cancel(const std::string& id) {
    ASSERT_TRUE(*local()->store->archive().runs().request_stop(id));
    queue_->cancelled(organisation.id, id);
  }
  bool is_charged(double dollars) {
    return wait_until([&] { return now(organisation).spent > dollars - 1e-9; }) &&
           now(organisation).spent < dollars + 1e-9;
  }
};

TEST(WorkQueue, WorksOnWhatIsAdded) {
  QueueWorld world;
  world.start();
  const auto id = world.queue(ServerWorld::suite("sums", 5));
  world.hint(world.organisation);
  ASSERT_TRUE(world.ends(id));
  const auto run = world.run(id);
  EXPECT_EQ(run.status, RunStatus::completed) << run.error;
  EXPECT_EQ(run.results, 5u);
  EXPECT_EQ(run.passed, 5u);
  EXPECT_EQ(run.score, 100);
  EXPECT_EQ(run.version, "1.2.3");
  EXPECT_TRUE(run.started_at && run.completed_at && run.duration);
  EXPECT_TRUE(world.is_charged(5 * kAnswerCost));
  EXPECT_TRUE(wait_until([&] { return world.queue_->running() == 0; }));
  EXPECT_EQ(world.local()->store->queue().depth()->waiting, 0u);
}

TEST(WorkQueue, FindsWhatWasQueuedBeforeItAndByOthers) {
  QueueWorld world;
  const auto before = world.queue(ServerWorld::suite("before", 1));
  world.start();
  EXPECT_TRUE(world.ends(before));
  const auto by_others = world.queue(ServerWorld::suite("others", 1));  // nobody says so
  EXPECT_TRUE(world.ends(by_others));
}

TEST(WorkQueue, CancelsWhatIsInFlight) {
  QueueWorld world;
  world.start();
  world.wire.set_status([&](const std::string& body) {
    if (body.find("asks 2") != std::string::npos) world.wire.hold();
    return 200;
  });
  const auto id = world.queue(ServerWorld::suite("sums", 10, 1));  // a worker may find it by itself
  world.hint(world.organisation);
  ASSERT_TRUE(world.wire.wait_for(4));
  world.cancel(id);
  ASSERT_TRUE(world.ends(id));
  const auto run = world.run(id);
  EXPECT_EQ(run.status, RunStatus::cancelled);
  EXPECT_EQ(run.error, "stopped after 3 of 10 samples");
  EXPECT_EQ(run.results, 3u);
  EXPECT_EQ(run.score, 100);
  EXPECT_EQ(world.wire.asked().size(), 4u);
  EXPECT_TRUE(world.is_charged(3 * kAnswerCost));
}

TEST(WorkQueue, CancelsWhatWaitsWhileAllWorkersAreBusy) {
  QueueWorld world;
  world.wire.hold();
  world.start(1);
  const auto busy = world.queue(ServerWorld::suite("busy", 1));
  world.hint(world.organisation);
  ASSERT_TRUE(world.wire.wait_for(1));
  const auto waiting = world.queue(ServerWorld::suite("waiting", 3));
  world.cancel(waiting);
  const auto run = world.run(waiting);  // at once
  EXPECT_EQ(run.status, RunStatus::cancelled);
  EXPECT_EQ(run.error, "stopped after 0 of 3 samples");
  EXPECT_EQ(world.local()->store->queue().depth()->waiting, 0u);
  world.wire.let_go();
  EXPECT_TRUE(world.ends(busy));
  EXPECT_EQ(world.wire.asked().size(), 1u);
}

TEST(WorkQueue, WhatIsInFlightFinishesAtTheEndAndTheRestIsHandedBack) {
  constexpr std::size_t kEvals = 2000;  // more than are answered before the end is noticed
  QueueWorld world;
  world.wire.hold();
  world.start();
  const auto id = world.queue(ServerWorld::suite("sums", kEvals, 2));
  world.hint(world.organisation);
  ASSERT_TRUE(world.wire.wait_for(2));
  const auto started = world.run(id).started_at;
  ASSERT_TRUE(started);
  std::atomic<bool> has_ended = false;
  std::thread ending([&] {
    world.queue_->end();
    has_ended = true;
  });
  while (!has_ended) world.wire.answer_held();
  ending.join();
  EXPECT_EQ(world.run(id).status, RunStatus::queued);
  const std::size_t answered = world.results(id);
  EXPECT_GE(answered, 2u);
  EXPECT_EQ(world.wire.asked().size(), answered);
  EXPECT_TRUE(world.is_charged(static_cast<double>(answered) * kAnswerCost));
  const auto duration = world.run(id).duration;
  ASSERT_TRUE(duration);

  world.wire.let_go();
  world.start();  // another process, say
  ASSERT_TRUE(world.ends(id));
  const auto run = world.run(id);
  EXPECT_EQ(run.status, RunStatus::completed);
  EXPECT_EQ(run.results, kEvals);
  EXPECT_EQ(run.started_at, started);
  EXPECT_GT(run.duration.value_or(0), *duration);
  EXPECT_EQ(world.wire.asked().size(), kEvals);  // nothing twice
  EXPECT_TRUE(world.is_charged(kEvals * kAnswerCost));
}

TEST(WorkQueue, WhatDoesNotFinishInTimeIsHandedBack) {
  QueueWorld world;
  world.wire.hold();
  world.start(1, 0.1);
  const auto id = world.queue(ServerWorld::suite("sums", 3, 1));
  world.hint(world.organisation);
  ASSERT_TRUE(world.wire.wait_for(1));
  world.queue_->end();
  EXPECT_EQ(world.run(id).status, RunStatus::queued);
  EXPECT_EQ(world.results(id), 0u);
  world.wire.let_go();
  world.start();
  ASSERT_TRUE(world.ends(id));
  EXPECT_EQ(world.run(id).status, RunStatus::completed);
}

TEST(WorkQueue, ARunThatCannotBePreparedFailsWithTheReason) {
  QueueWorld world;
  ASSERT_TRUE(world.local()->store->archive().variables().set_secret("TOKEN", "s3cret-value"));
  std::string text = ServerWorld::suite("secrets", 1);
  text.replace(text.find("asks 0"), 6, "{{secret('TOKEN')}}");
  const auto id = world.queue(text);
  ASSERT_TRUE(*world.local()->store->archive().variables().remove_secret("TOKEN"));
  world.start();
  ASSERT_TRUE(world.ends(id));
  EXPECT_EQ(world.run(id).status, RunStatus::failed);
  EXPECT_EQ(world.run(id).error, "there is no secret `TOKEN`");
}

TEST(WorkQueue, PlansAnewWhatHasNoResultYet) {
  QueueWorld world;
  ASSERT_TRUE(world.local()->store->archive().variables().set("what", "old"));
  std::string text = ServerWorld::suite("variables", 1);
  text.replace(text.find("asks 0"), 6, "{{var('what')}}");
  const auto id = world.queue(text);
  ASSERT_TRUE(world.local()->store->archive().variables().set("what", "new"));
  world.start();
  ASSERT_TRUE(world.ends(id));
  EXPECT_EQ(world.run(id).status, RunStatus::completed) << world.run(id).error;
  EXPECT_NE(world.wire.asked().front().find("variables new"), std::string::npos);
}

TEST(WorkQueue, OrganisationsTakeTurns) {
  QueueWorld world;
  const auto other = world.add_organisation("other");
  for (int i = 0; i < 4; ++i) world.queue(ServerWorld::suite("first", 1));
  const auto late = world.queue(other, ServerWorld::suite("other", 1));
  world.start(1);
  ASSERT_TRUE(world.ends(other, late));
  ASSERT_TRUE(wait_until([&] { return world.wire.asked().size() == 5; }));
  const auto asked = world.wire.asked();
  EXPECT_TRUE(asked[0].find("other asks") != std::string::npos ||
              asked[1].find("other asks") != std::string::npos);
}

TEST(WorkQueue, KeepsToTheRunsThatAnOrganisationMayHaveAtATime) {
  store::Limits limits;
  limits.running_runs = 1;
  QueueWorld world(limits);
  const auto other = world.add_organisation("other");
  world.wire.hold();
  const auto first = world.queue(ServerWorld::suite("one", 1));
  const auto second = world.queue(ServerWorld::suite("two", 1));
  const auto others = world.queue(other, ServerWorld::suite("three", 1));
  world.start(3);
  ASSERT_TRUE(world.wire.wait_for(2));
  EXPECT_EQ(world.queue_->running(), 2u);
  EXPECT_EQ(world.run(second).status, RunStatus::queued);
  world.wire.let_go();
  EXPECT_TRUE(world.ends(first) && world.ends(second) && world.ends(other, others));
  EXPECT_LE(world.wire.most_waiting(), 2u);
}

TEST(WorkQueue, AWorkerThatLostItsRunWritesNothingMore) {
  QueueWorld world;
  world.wire.hold();
  world.start(1);
  const auto id = world.queue(ServerWorld::suite("sums", 3, 1));
  world.hint(world.organisation);
  ASSERT_TRUE(world.wire.wait_for(1));
  // Its lease is over for one whose clock is an hour ahead.
  const auto later = [] { return base::now_millis() + 3'600'000; };
  const auto other =
      store::open_sqlite(world.folder.home(), {.key = world.tenants->master_key(), .now = later});
  ASSERT_TRUE(other);
  const auto taken = (*other)->queue().claim("other", 3600);
  ASSERT_TRUE(taken && *taken);
  world.wire.let_go();
  ASSERT_TRUE(wait_until([&] { return world.queue_->running() == 0; }));
  EXPECT_EQ(world.results(id), 0u);
  EXPECT_FALSE(score::is_finished(world.run(id).status));
  EXPECT_EQ(world.now(world.organisation).spent, 0);
  // It is the other's still.
  EXPECT_TRUE((*other)->queue().renew((*taken)->held.hold, 1));
}

TEST(WorkQueue, GivesUpARunThatWorkersDieOf) {
  QueueWorld world;
  const auto id = world.queue(ServerWorld::suite("sums", 1));
  for (int i = 0; i < 10; ++i) {
    const auto local = world.local();
    const auto claim = local->store->queue().claim("dies", 60);
    ASSERT_TRUE(claim && *claim);  // its lock ends here, as it does with a process
  }
  world.start();
  ASSERT_TRUE(world.ends(id));
  EXPECT_EQ(world.run(id).status, RunStatus::failed);
  EXPECT_EQ(world.run(id).error, "given up: 10 workers took the run and stopped without a result");
  EXPECT_TRUE(world.wire.asked().empty());
}

TEST(WorkQueue, DoesNotGiveUpARunThatGetsOn) {
  QueueWorld world;
  const auto id = world.queue(ServerWorld::suite("sums", 12));
  for (std::uint32_t i = 0; i < 11; ++i) {
    const auto local = world.local();
    const auto claim = local->store->queue().claim("dies", 60);
    ASSERT_TRUE(claim && *claim);
    if (i == 10) break;  // before its first
    score::Result result;
    result.sample = i;
    result.status = score::ResultStatus::passed;
    ASSERT_TRUE(local->store->journal().add((*claim)->held.hold, result));
  }
  auto run = world.run(id);
  run.results = 10;  // as the last one noted when it began
  world.write(run);
  world.start();
  ASSERT_TRUE(world.ends(id));
  EXPECT_EQ(world.run(id).status, RunStatus::completed) << world.run(id).error;
  EXPECT_EQ(world.wire.asked().size(), 2u);
}

TEST(WorkQueue, TheTimeOfARunGoesOnWithTheNextWorker) {
  QueueWorld world;
  SentOptions options;
  options.run_timeout = 3600;
  const auto id = world.queue(ServerWorld::suite("sums", 2), options);
  auto run = world.run(id);
  run.duration = 3601;  // of a worker that handed it back
  world.write(run);
  world.wire.hold();  // nothing comes before the time is looked at
  world.start();
  ASSERT_TRUE(world.ends(id));
  EXPECT_NE(world.run(id).error.find("took longer than"), std::string::npos) << world.run(id).error;
}

TEST(WorkQueue, TakesUpWhatADeadWorkerLeft) {
  QueueWorld world;
  const auto id = world.queue(ServerWorld::suite("sums", 1));
  {
    const auto local = world.local();
    const auto claim = local->store->queue().claim("dies", 60);
    ASSERT_TRUE(claim && *claim);
  }
  world.start();
  ASSERT_TRUE(world.ends(id));
  EXPECT_EQ(world.run(id).status, RunStatus::completed);
}

TEST(WorkQueue, RetriesWhatFailedAndChargesForThatAlone) {
  QueueWorld world;
  world.start();
  world.wire.set_status(
      [](const std::string& body) { return body.find("asks 1") != std::string::npos ? 400 : 200; });
  const auto id = world.queue(ServerWorld::suite("sums", 3));
  world.hint(world.organisation);
  ASSERT_TRUE(world.ends(id));
  ASSERT_EQ(world.run(id).status, RunStatus::partial_failure);
  ASSERT_TRUE(world.is_charged(2 * kAnswerCost));
  ASSERT_TRUE(wait_until([&] { return world.queue_->running() == 0; }));

  world.wire.set_status([](const std::string&) { return 200; });
  base::Diagnostics out;
  const auto again =
      continue_run(id, Continue::failed, {}, world.now(world.organisation), *world.local(), out);
  ASSERT_TRUE(again) << base::render(out);
  EXPECT_EQ(again->run.id, id);
  world.hint(world.organisation);
  ASSERT_TRUE(world.ends(id));
  EXPECT_EQ(world.run(id).status, RunStatus::completed) << world.run(id).error;
  EXPECT_EQ(world.wire.asked().size(), 4u);
  EXPECT_TRUE(world.is_charged(3 * kAnswerCost));
}

TEST(WorkQueue, WhatWasChargedIsNotChargedAgainWhenItIsCancelled) {
  QueueWorld world;
  world.start(1);
  world.wire.set_status(
      [](const std::string& body) { return body.find("asks 1") != std::string::npos ? 400 : 200; });
  const auto id = world.queue(ServerWorld::suite("sums", 3));
  world.hint(world.organisation);
  ASSERT_TRUE(world.ends(id) && world.is_charged(2 * kAnswerCost));
  world.wire.hold();
  world.queue(ServerWorld::suite("busy", 1));
  world.hint(world.organisation);
  ASSERT_TRUE(world.wire.wait_for(4));
  base::Diagnostics out;
  ASSERT_TRUE(
      continue_run(id, Continue::failed, {}, world.now(world.organisation), *world.local(), out))
      << base::render(out);
  world.cancel(id);
  EXPECT_EQ(world.run(id).status, RunStatus::cancelled);
  EXPECT_EQ(world.run(id).results, 3u);
  EXPECT_TRUE(world.is_charged(2 * kAnswerCost));
  world.wire.let_go();
}

TEST(WorkQueue, SpendsNoMoreThanTheCredits) {
  store::Limits limits;
  limits.credits = 2.5 * kAnswerCost;
  QueueWorld world(limits);
  const auto id = world.queue(ServerWorld::suite("sums", 10, 1));
  world.start();
  ASSERT_TRUE(world.ends(id));
  EXPECT_EQ(world.run(id).status, RunStatus::partial_failure) << world.run(id).error;
  EXPECT_EQ(world.run(id).error, "out of credits after 2 of 10 samples");
  EXPECT_EQ(world.run(id).results, 2u);
  EXPECT_TRUE(world.is_charged(2 * kAnswerCost));
}

TEST(WorkQueue, RunsAtTheSameTimeShareTheCredits) {
  // With a right estimate of what an answer costs, and with far too low ones, until the runs learn
  // the cost from each other.
  for (const char* estimated : {"  max_output_tokens: 250000\n", ""}) {
    store::Limits limits;
    limits.credits = 5.5 * kAnswerCost;
    QueueWorld world(limits);
    std::vector<std::string> runs;
    for (int i = 0; i < 4; ++i) {
      auto text = ServerWorld::suite("s" + std::to_string(i), 10, 2);
      runs.push_back(world.queue(text.insert(text.find("evals:"), estimated)));
    }
    // A run that begins after the others have ended does not know what an answer costs.
    world.wire.hold();
    world.start(runs.size());
    for (const auto& id : runs)
      ASSERT_TRUE(wait_until([&] { return world.run(id).version == kVersion; }));
    world.wire.let_go();
    std::size_t results = 0;
    for (const auto& id : runs) {
      ASSERT_TRUE(world.ends(id));
      EXPECT_NE(world.run(id).error.find("out of credits"), std::string::npos);
      results += world.run(id).results;
    }
    EXPECT_EQ(results, 5u);
    EXPECT_TRUE(world.is_charged(5 * kAnswerCost));
  }
}

TEST(WorkQueue, CreditsThatChangeHoldForRunsAtWork) {
  store::Limits limits;
  limits.credits = 100;
  QueueWorld world(limits);
  world.wire.hold();
  const auto id = world.queue(ServerWorld::suite("sums", 2000, 2));
  world.start(1);
  ASSERT_TRUE(world.wire.wait_for(1));
  auto organisation = world.now(world.organisation);
  organisation.limits.credits = 0;
  ASSERT_TRUE((*world.tenants->directory())->organisations().update(organisation));
  ASSERT_TRUE(wait_until([&] {
    world.wire.answer_held();
    return score::is_finished(world.run(id).status);
  }));
  EXPECT_NE(world.run(id).error.find("out of credits"), std::string::npos) << world.run(id).error;
}

TEST(WorkQueue, WhatADeadWorkerPaidCountsForRunsThatAreAtWork) {
  store::Limits limits;
  limits.credits = 5.5 * kAnswerCost;
  QueueWorld world(limits);
  world.wire.hold();
  world.start(1);
  const auto first = world.queue(ServerWorld::suite("first", 10, 1));
  world.hint(world.organisation);
  ASSERT_TRUE(world.wire.wait_for(1));
  const auto second = world.queue(ServerWorld::suite("second", 10, 1));
  {
    const auto local = world.local();
    const auto claim = local->store->queue().claim("dies", 60);
    ASSERT_TRUE(claim && *claim);
    ASSERT_EQ((*claim)->run.id, second);
    for (std::uint32_t sample = 0; sample < 3; ++sample) {
      score::Result result;
      result.sample = sample;
      result.status = score::ResultStatus::passed;
      result.paid = kAnswerCost;
      ASSERT_TRUE(local->store->journal().add((*claim)->held.hold, result));
    }
  }
  world.cancel(second);  // it is charged for
  world.wire.let_go();
  ASSERT_TRUE(world.ends(first));
  EXPECT_EQ(world.run(second).status, RunStatus::cancelled);
  EXPECT_LE(world.now(world.organisation).spent, *limits.credits);
}

TEST(WorkQueue, ChargesWhileARunIsAtWork) {
  QueueWorld world;
  world.wire.set_status([&](const std::string& body) {
    if (body.find("asks 1") != std::string::npos) world.wire.hold();
    return 200;
  });
  const auto id = world.queue(ServerWorld::suite("sums", 4, 1));
  world.start(1);
  ASSERT_TRUE(world.wire.wait_for(3));
  EXPECT_TRUE(world.is_charged(2 * kAnswerCost));
  EXPECT_EQ(world.run(id).status, RunStatus::running);
  world.wire.let_go();
  ASSERT_TRUE(world.ends(id));
  EXPECT_EQ(world.now(world.organisation).spent, 4 * kAnswerCost);  // before it is finished
}

TEST(WorkQueue, ChargesForWhatADeadWorkerPaidOnce) {
  QueueWorld world;
  const auto id = world.queue(ServerWorld::suite("sums", 3));
  {
    const auto local = world.local();
    const auto claim = local->store->queue().claim("dies", 60);
    ASSERT_TRUE(claim && *claim);
    for (std::uint32_t sample = 0; sample < 2; ++sample) {
      score::Result result;
      result.sample = sample;
      result.status = score::ResultStatus::passed;
      result.paid = kAnswerCost;
      ASSERT_TRUE(local->store->journal().add((*claim)->held.hold, result));
      if (sample == 1) break;  // which it had no time to charge for
      const auto accounts = *world.tenants->accounts();
      ASSERT_TRUE(accounts->charge(world.organisation.id, {id}, kAnswerCost));
    }
  }
  world.start();
  ASSERT_TRUE(world.ends(id));
  EXPECT_NEAR(world.now(world.organisation).spent, 3 * kAnswerCost, 1e-9);
}

TEST(WorkQueue, AFullDiskCostsNoResult) {
  QueueWorld world;
  world.wire.hold();
  world.start(1);
  const auto id = world.queue(ServerWorld::suite("sums", 8, 4));
  world.hint(world.organisation);
  ASSERT_TRUE(world.wire.wait_for(4));
  {
    const test::FullDisk full;
    world.wire.let_go();
    ASSERT_TRUE(wait_until([] { return test::FullDisk::refused() >= 3; }));
    EXPECT_EQ(world.queue_->running(), 1u);
  }
  ASSERT_TRUE(world.ends(id));
  EXPECT_EQ(world.run(id).status, RunStatus::completed) << world.run(id).error;
  EXPECT_EQ(world.run(id).results, 8u);
  EXPECT_EQ(world.wire.asked().size(), 8u);  // nothing twice
  EXPECT_GE(world.troubles, 1);
  EXPECT_TRUE(world.is_charged(8 * kAnswerCost));
}

TEST(WorkQueue, RunsOfSuspendedOrganisationsWait) {
  QueueWorld world;
  auto organisation = world.organisation;
  const auto id = world.queue(ServerWorld::suite("sums", 1));
  organisation.is_active = false;
  ASSERT_TRUE((*world.tenants->directory())->organisations().update(organisation));
  const auto other = world.add_organisation("other");
  const auto others = world.queue(other, ServerWorld::suite("sums", 1));
  world.start(1);
  ASSERT_TRUE(world.ends(other, others));
  EXPECT_EQ(world.run(id).status, RunStatus::queued);
  organisation.is_active = true;
  ASSERT_TRUE((*world.tenants->directory())->organisations().update(organisation));
  EXPECT_TRUE(world.ends(id));
}

TEST(WorkQueue, WakesThoseWhoWatch) {
  QueueWorld world;
  world.wire.hold();
  const auto id = world.queue(ServerWorld::suite("sums", 1));
  std::atomic<bool> is_finished = false;
  const auto watch = RunWatch::make(*world.tenants);
  const auto watcher = watch->watch(world.organisation.id, id, std::chrono::milliseconds(1), [&] {
    if (score::is_finished(world.run(id).status)) is_finished = true;
  });
  world.start();
  ASSERT_TRUE(world.wire.wait_for(1));
  world.wire.let_go();
  EXPECT_TRUE(wait_until([&] { return is_finished.load(); }));
}

}  // namespace
}  // namespace vibe::app
