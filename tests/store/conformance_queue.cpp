// What every store has to do with the queue of a server, and with the order in which results come.
#include <set>
#include <thread>

#include "base/diagnostic.h"
#include "store/conformance.h"

namespace vibe::test {

using base::Code;
using score::RunStatus;
using store::Claim;

namespace {

score::Run queued_run(const std::string& id) {
  auto run = full_run(id);
  run.status = RunStatus::queued;
  return run;
}

score::Run with_status(score::Run run, RunStatus status) {
  run.status = status;
  return run;
}

std::vector<std::int64_t> numbers(const std::vector<store::Arrival>& arrivals) {
  std::vector<std::int64_t> out;
  for (const auto& each : arrivals) out.push_back(each.number);
  return out;
}

std::vector<std::uint32_t> samples(const std::vector<store::Arrival>& arrivals) {
  std::vector<std::uint32_t> out;
  for (const auto& each : arrivals) out.push_back(each.result.sample);
  return out;
}

template <class T>
bool is_lost(const base::Result<T>& result) {
  return !result && has_code(result.error(), Code::lease_lost);
}

template <class T>
bool is_held(const base::Result<T>& result) {
  return !result && has_code(result.error(), Code::run_held);
}

}  // namespace

void RunQueue::enqueue(const std::string& id) {
  const auto queued = store_->queue().enqueue(queued_run(id), "job of " + id);
  ASSERT_TRUE(queued) << text_of(queued.error());
}

std::optional<Claim> RunQueue::claim(store::Store& store, std::string_view worker,
                                     store::Millis now) {
  place_->set_clock(now);
  auto claimed = store.queue().claim(worker, kLease / 1000.0);
  if (claimed) return std::move(*claimed);
  ADD_FAILURE() << text_of(claimed.error());
  return std::nullopt;
}

// ---- the order in which results come

using Numbers = std::vector<std::int64_t>;
using Samples = std::vector<std::uint32_t>;

TEST_P(RunQueue, ResultsComeInTheirOrder) {
  const auto lock = store_->journal().begin(full_run("a-run"));
  const auto other = store_->journal().begin(full_run("b-run"));
  EXPECT_EQ(store_->feed().progress("a-run").value()->last_arrival, 0);
  EXPECT_TRUE(store_->feed().arrivals("a-run", 0, 10).value().empty());
  for (const std::uint32_t sample : {7u, 2u, 5u}) {
    ASSERT_TRUE(store_->journal().add({"a-run"}, full_result(sample)));
    ASSERT_TRUE(store_->journal().add({"b-run"}, full_result(sample)));
  }
  const auto all = open()->feed().arrivals("a-run", 0, 10).value();
  EXPECT_EQ(numbers(all), (Numbers{1, 2, 3}));
  EXPECT_EQ(samples(all), (Samples{7, 2, 5}));
  expect_same(all[1].result, full_result(2));
  EXPECT_EQ(samples(store_->feed().arrivals("a-run", 1, 1).value()), (Samples{2}));
  EXPECT_EQ(samples(store_->feed().arrivals("a-run", 2, 10).value()), (Samples{5}));
  EXPECT_TRUE(store_->feed().arrivals("a-run", 3, 10).value().empty());
  const auto progress = store_->feed().progress("a-run").value().value();
  EXPECT_EQ(progress.status, RunStatus::running);
  EXPECT_EQ(progress.last_arrival, 3);
  EXPECT_EQ(progress.planned, full_run("a-run").planned);
}

TEST_P(RunQueue, ResultsAreReadSomeAtATime) {
  const auto lock = store_->journal().begin(full_run("a-run"));
  const auto other = store_->journal().begin(full_run("b-run"));
  for (const std::uint32_t sample : {7u, 2u, 5u}) {
    ASSERT_TRUE(store_->journal().add({"a-run"}, full_result(sample)));
    ASSERT_TRUE(store_->journal().add({"b-run"}, full_result(sample + 1)));
  }
  const auto samples_from = [&](std::uint32_t sample, std::size_t most) {
    Samples out;
    const auto found = store_->feed().results_from("a-run", sample, most).value();
    for (const auto& result : found) out.push_back(result.sample);
    return out;
  };
  EXPECT_EQ(samples_from(0, 2), (Samples{2, 5}));
  EXPECT_EQ(samples_from(2, 1), (Samples{2}));
  EXPECT_EQ(samples_from(3, 10), (Samples{5, 7}));
  EXPECT_EQ(samples_from(8, 10), Samples());
  const auto last = store_->feed().results_from("a-run", 6, 1).value();
  expect_same(last.front(), full_result(7));
  EXPECT_TRUE(has_code(store_->feed().results_from("none", 0, 1).error(), Code::not_found));
}

TEST_P(RunQueue, OutcomesAreThoseOfTheResultsThatCameUntilThen) {
  const auto lock = store_->journal().begin(full_run("a-run"));
  const auto other = store_->journal().begin(full_run("b-run"));
  ASSERT_TRUE(store_->journal().add({"b-run"}, full_result(9)));
  const auto add = [&](std::uint32_t sample, score::ResultStatus status) {
    auto result = full_result(sample);
    result.status = status;
    ASSERT_TRUE(store_->journal().add({"a-run"}, result));
  };
  add(4, score::ResultStatus::passed);
  add(1, score::ResultStatus::failed);
  add(2, score::ResultStatus::error);
  const auto told = [&](std::int64_t until) {
    std::string out;
    const auto outcomes = store_->feed().outcomes("a-run", until).value();
    for (const auto& one : outcomes) out += std::to_string(one.sample) + (one.passed ? "+ " : "- ");
    return out;
  };
  EXPECT_EQ(told(0), "");
  EXPECT_EQ(told(2), "1- 4+ ");
  EXPECT_EQ(told(100), "1- 2- 4+ ");
  add(1, score::ResultStatus::passed);  // instead of the one before
  EXPECT_EQ(told(3), "2- 4+ ");
  EXPECT_EQ(told(4), "1+ 2- 4+ ");
  EXPECT_TRUE(has_code(store_->feed().outcomes("none", 1).error(), Code::not_found));
}

TEST_P(RunQueue, AResultThatIsReplacedComesAnew) {
  const auto lock = store_->journal().begin(full_run("a-run"));
  for (const std::uint32_t sample : {0u, 1u, 2u, 1u, 1u})
    ASSERT_TRUE(store_->journal().add({"a-run"}, full_result(sample)));
  const auto all = store_->feed().arrivals("a-run", 0, 10).value();
  EXPECT_EQ(numbers(all), (Numbers{1, 3, 5}));
  EXPECT_EQ(samples(all), (Samples{0, 2, 1}));
}

TEST_P(RunQueue, ThereIsNoProgressWithoutARun) {
  EXPECT_FALSE(store_->feed().progress("a-run").value());
  EXPECT_TRUE(has_code(store_->feed().arrivals("a-run", 0, 1).error(), Code::not_found));
}

// ---- the queue

TEST_P(RunQueue, TheOldestIsClaimedFirst) {
  EXPECT_FALSE(claim(*store_, "one", 1'000));
  for (const char* id : {"c", "a", "b"}) enqueue(id);
  EXPECT_EQ(store_->queue().depth().value().waiting, 3u);
  const auto first = claim(*store_, "one", 1'000), second = claim(*open(), "two", 1'000);
  ASSERT_TRUE(first && second);
  expect_same(first->run, queued_run("c"));
  EXPECT_EQ(first->job, "job of c");
  EXPECT_EQ(first->earlier_claims, 0u);
  EXPECT_EQ(second->run.id, "a");
  const auto depth = store_->queue().depth().value();
  EXPECT_EQ(depth.waiting, 1u);
  EXPECT_EQ(depth.claimed, 2u);
  const auto third = claim(*store_, "one", 1'000);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->run.id, "b");
  EXPECT_FALSE(claim(*store_, "one", 1'000));
}

TEST_P(RunQueue, AJobIsAnyBytes) {
  const std::string job("\0\xff{}\n", 5);
  ASSERT_TRUE(store_->queue().enqueue(queued_run("a-run"), job));
  EXPECT_EQ(claim(*open(), "one", 1)->job, job);
}

TEST_P(RunQueue, WhatIsQueuedIsListedAsQueued) {
  ASSERT_TRUE(store_->queue().enqueue(with_status(full_run("a-run"), RunStatus::completed), {}));
  EXPECT_EQ(store_->archive().runs().find("a-run").value()->status, RunStatus::queued);
  EXPECT_EQ(store_->feed().progress("a-run").value()->status, RunStatus::queued);
  store::RunQuery query;
  query.status = {RunStatus::queued};
  EXPECT_EQ(store_->archive().runs().list(query).value().total, 1u);
}

TEST_P(RunQueue, AFinishedRunLeavesTheQueueAndCanBeQueuedAgain) {
  enqueue("a-run");
  enqueue("b-run");
  const auto claimed = claim(*store_, "one", 1'000);
  ASSERT_TRUE(claimed);
  const store::Hold& hold = claimed->held.hold;
  ASSERT_TRUE(store_->journal().write(hold, full_run("a-run"), {}));  // running
  EXPECT_EQ(store_->queue().depth().value().claimed, 1u);
  ASSERT_TRUE(store_->archive().runs().request_stop("a-run").value());
  ASSERT_TRUE(
      store_->journal().write(hold, with_status(full_run("a-run"), RunStatus::completed), {}));
  EXPECT_EQ(store_->queue().depth().value().claimed, 0u);
  EXPECT_TRUE(is_lost(renew(*claimed, 1'000)));
  EXPECT_TRUE(is_lost(store_->journal().write(hold, full_run("a-run"), {})));

  enqueue("a-run");
  EXPECT_FALSE(store_->journal().stop_requested("a-run").value());
  EXPECT_EQ(store_->archive().runs().find("a-run").value()->status, RunStatus::queued);
  const auto next = claim(*store_, "one", 1'000), again = claim(*store_, "one", 1'000);
  ASSERT_TRUE(next && again);
  EXPECT_EQ(next->run.id, "b-run");
  EXPECT_EQ(again->run.id, "a-run");
  EXPECT_EQ(again->earlier_claims, 0u);
}

TEST_P(RunQueue, ARunIsQueuedOrHeldButNotBoth) {
  enqueue("queued");
  EXPECT_TRUE(is_held(store_->queue().enqueue(queued_run("queued"), "")));
  EXPECT_TRUE(is_held(open()->journal().take_up("queued")));
  auto lock = store_->journal().begin(full_run("held"));
  EXPECT_TRUE(is_held(open()->queue().enqueue(queued_run("held"), "")));  // it is running
  ASSERT_TRUE(
      store_->journal().write({"held"}, with_status(full_run("held"), RunStatus::failed), {}));
  EXPECT_TRUE(
      is_held(open()->queue().enqueue(queued_run("held"), "")));  // finished, but still held
  lock->lock.reset();
  EXPECT_TRUE(open()->queue().enqueue(queued_run("held"), ""));
  EXPECT_EQ(store_->queue().depth().value().waiting, 2u);
}

TEST_P(RunQueue, ALeaseThatRanOutIsAnothers) {
  enqueue("a-run");
  const auto first = claim(*store_, "one", 1'000);
  const auto other = open();
  ASSERT_TRUE(first);
  const store::Hold& hold = first->held.hold;
  ASSERT_TRUE(store_->journal().add(hold, full_result(0)));
  EXPECT_FALSE(claim(*other, "two", 1'000 + kLease - 1));
  ASSERT_TRUE(renew(*first, 1'000 + kLease));
  EXPECT_FALSE(claim(*other, "two", 1'000 + kLease));
  const auto second = claim(*other, "two", 1'000 + 2 * kLease);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->earlier_claims, 0u);  // the first brought a result
  EXPECT_EQ(second->job, "job of a-run");

  const auto done = with_status(full_run("a-run"), RunStatus::completed);
  EXPECT_TRUE(is_lost(store_->journal().add(hold, full_result(1))));
  EXPECT_TRUE(is_lost(store_->journal().write(hold, done, {})));
  EXPECT_TRUE(is_lost(renew(*first, 1'000)));
  EXPECT_TRUE(is_lost(store_->queue().hand_back(hold)));
  EXPECT_TRUE(is_lost(store_->journal().add({"a-run"}, full_result(1))));  // without any claim
  EXPECT_EQ(store_->archive().runs().results("a-run").value().size(), 1u);
  EXPECT_EQ(store_->archive().runs().find("a-run").value()->status, RunStatus::queued);

  EXPECT_TRUE(other->journal().add(second->held.hold, full_result(1)));
  EXPECT_TRUE(renew(*second, 1'000 + 2 * kLease));  // by any store of the organisation
  EXPECT_TRUE(other->journal().write(second->held.hold, done, {}));
  EXPECT_TRUE(is_lost(store_->journal().add(hold, full_result(2))));  // though nobody has it now
}

// Of the same name, after a restart: they are two all the same.
TEST_P(RunQueue, AClaimIsToldFromOneOfTheSameName) {
  enqueue("a-run");
  const auto first = claim(*store_, "one", 1'000);
  const auto other = open();
  const auto second = claim(*other, "one", 1'000 + kLease);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(is_lost(store_->journal().add(first->held.hold, full_result(0))));
  EXPECT_TRUE(other->journal().add(second->held.hold, full_result(0)));
}

TEST_P(RunQueue, ARunThatIsHandedBackIsTheNextsAtOnce) {
  enqueue("a-run");
  enqueue("b-run");
  auto first = claim(*store_, "one", 1'000);
  ASSERT_TRUE(first);
  const store::Hold hold = first->held.hold;
  ASSERT_TRUE(store_->journal().write(hold, full_run("a-run"), {}));
  ASSERT_TRUE(store_->queue().hand_back(hold));
  EXPECT_EQ(store_->archive().runs().find("a-run").value()->status, RunStatus::queued);
  EXPECT_EQ(store_->queue().depth().value().waiting, 2u);
  EXPECT_TRUE(is_lost(store_->journal().add(hold, full_result(0))));
  EXPECT_TRUE(is_lost(store_->queue().hand_back(hold)));

  const auto second = claim(*open(), "two", 1'000);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->run.id, "a-run");
  EXPECT_EQ(second->earlier_claims, 0u);
  EXPECT_TRUE(store_->journal().add(second->held.hold, full_result(0)));
}

TEST_P(RunQueue, ClaimsAreCountedSinceTheLastThatBroughtAResult) {
  enqueue("a-run");
  store::Hold hold;
  const auto take = [&] {
    const auto got = claim(*store_, "dies", 1'000);
    hold = got->held.hold;
    return got->earlier_claims;
  };
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(take(), i);
  ASSERT_TRUE(store_->journal().add(hold, full_result(0)));
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(take(), i);
  ASSERT_TRUE(store_->journal().add(hold, full_result(0)));  // asked again
  EXPECT_EQ(take(), 0u);
  EXPECT_EQ(take(), 1u);
}

TEST_P(RunQueue, AClockThatIsSetBackHoldsUpNothing) {
  enqueue("a-run");
  enqueue("b-run");
  auto first = claim(*store_, "one", 1'000'000);
  const auto other = open();
  const auto second = claim(*other, "two", 10);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->run.id, "b-run");
  EXPECT_FALSE(claim(*other, "two", 10));  // the first is still at work
  ASSERT_TRUE(renew(*first, 10));
  EXPECT_TRUE(store_->journal().add(first->held.hold, full_result(0)));
  first.reset();  // gone, without a word
  const auto third = claim(*other, "two", 5);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->run.id, "a-run");
  EXPECT_EQ(third->earlier_claims, 0u);
}

TEST_P(RunQueue, RunsOfTheQueueAreNotMarkedAsInterrupted) {
  enqueue("waits");
  enqueue("begun");
  {
    const auto claimed = claim(*store_, "one", 1'000);
    ASSERT_TRUE(open()->journal().write(claimed->held.hold, full_run("waits"), {}));  // running
  }  // its worker is gone
  EXPECT_EQ(store_->journal().mark_interrupted().value(), 0u);
  EXPECT_EQ(store_->archive().runs().find("waits").value()->status, RunStatus::running);
  EXPECT_EQ(store_->archive().runs().find("begun").value()->status, RunStatus::queued);
}

TEST_P(RunQueue, ARunThatIsToStopIsStillClaimed) {
  enqueue("a-run");
  ASSERT_TRUE(store_->archive().runs().request_stop("a-run").value());
  ASSERT_TRUE(claim(*store_, "one", 1'000));
  EXPECT_TRUE(store_->journal().stop_requested("a-run").value());
}

TEST_P(RunQueue, AWorkerLearnsThatItsRunWasEndedByAnother) {
  enqueue("a-run");
  const auto claimed = claim(*store_, "one", 1'000);
  ASSERT_TRUE(claimed);
  const auto other = claim(*open(), "two", 1'000 + kLease);
  ASSERT_TRUE(other);
  ASSERT_TRUE(open()->journal().write(other->held.hold,
                                      with_status(full_run("a-run"), RunStatus::cancelled), {}));
  EXPECT_TRUE(is_lost(store_->journal().add(claimed->held.hold, full_result(0))));
  EXPECT_TRUE(is_lost(store_->journal().write(claimed->held.hold, full_run("a-run"), {})));
  EXPECT_EQ(store_->archive().runs().find("a-run").value()->status, RunStatus::cancelled);
}

TEST_P(RunQueue, AHoldIsForItsOwnRun) {
  enqueue("a-run");
  enqueue("b-run");
  const auto claimed = store_->queue().claim_run("a-run", "one", 1).value();
  ASSERT_TRUE(claimed);
  const auto other = with_status(full_run("b-run"), RunStatus::completed);
  for (const store::Hold& hold :
       {claimed->held.hold, store::Hold{"b-run", claimed->held.hold.token}})
    EXPECT_TRUE(has_code(store_->journal().write(hold, other, {}).error(), Code::lease_lost));
  EXPECT_EQ(store_->archive().runs().find("a-run").value()->id, "a-run");
  EXPECT_EQ(store_->archive().runs().find("b-run").value()->status, RunStatus::queued);
}

TEST_P(RunQueue, OneRunIsClaimedIfNobodyWorksOnIt) {
  enqueue("a-run");
  enqueue("b-run");
  const auto claimed = store_->queue().claim_run("b-run", "one", 1).value();
  ASSERT_TRUE(claimed);
  EXPECT_EQ(claimed->run.id, "b-run");
  EXPECT_EQ(claimed->job, "");  // not needed to end a run
  EXPECT_FALSE(open()->queue().claim_run("b-run", "two", 1).value());
  const auto done = with_status(full_run("b-run"), RunStatus::cancelled);
  ASSERT_TRUE(store_->journal().write(claimed->held.hold, done, {}));
  EXPECT_FALSE(open()->queue().claim_run("b-run", "two", 1).value());  // it is over
  EXPECT_EQ(claim(*store_, "one", 1'000)->run.id, "a-run");
  EXPECT_TRUE(has_code(store_->queue().claim_run("none", "one", 1).error(), Code::not_found));
}

TEST_P(RunQueue, AClaimSaysWhichResultsTheRunHadWhenItWasQueued) {
  EXPECT_EQ(store_->queue().enqueue(queued_run("a-run"), "").value(), 0);
  {
    const auto first = claim(*store_, "one", 1'000);
    EXPECT_EQ(first->queued_after, 0);
    ASSERT_TRUE(store_->journal().add(first->held.hold, full_result(0)));
    ASSERT_TRUE(store_->journal().add(first->held.hold, full_result(1)));
    ASSERT_TRUE(store_->journal().write(first->held.hold,
                                        with_status(full_run("a-run"), RunStatus::failed), {}));
  }
  EXPECT_EQ(store_->queue().enqueue(queued_run("a-run"), "").value(), 2);
  const auto again = claim(*store_, "one", 1'000);
  EXPECT_EQ(again->queued_after, 2);
  ASSERT_TRUE(store_->journal().add(again->held.hold, full_result(1)));
  const auto later = claim(*store_, "two", 1'000 + kLease);
  EXPECT_EQ(later->queued_after, 2);  // until it is queued again
}

TEST_P(RunQueue, EachRunIsClaimedOnceByManyWorkers) {
  constexpr int kRuns = 40, kWorkers = 4;
  for (int i = 0; i < kRuns; ++i) enqueue("run-" + std::to_string(i));
  std::vector<std::vector<Claim>> claims(kWorkers);
  std::vector<std::thread> workers;
  for (int n = 0; n < kWorkers; ++n) {
    workers.emplace_back([&, n] {
      const auto store = open();
      while (auto got = claim(*store, "worker-" + std::to_string(n), 1'000))
        claims[static_cast<std::size_t>(n)].push_back(std::move(*got));
    });
  }
  for (auto& worker : workers) worker.join();
  std::set<std::string> seen;
  std::size_t count = 0;
  for (const auto& some : claims) {
    count += some.size();
    for (const auto& each : some) seen.insert(each.run.id);
  }
  EXPECT_EQ(count, static_cast<std::size_t>(kRuns));
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kRuns));
}

}  // namespace vibe::test
