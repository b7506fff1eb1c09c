// Runs and their results, one by one; runs that are held, marked, and asked to stop.
#include "store/conformance.h"

namespace vibe::test {

using base::Code;
using score::RunStatus;

// ---- runs

TEST_P(StoreConformance, ARunComesBackAsItWas) {
  const auto run = full_run("01a1e211-0031-7d8d-8188-2846f295f71e");
  ASSERT_TRUE(store_->journal().begin(run));
  expect_same(store_->archive().runs().find(run.id).value().value(), run);
  expect_same(open()->archive().runs().find(run.id).value().value(), run);

  auto bare = run_with("bare", 7);
  ASSERT_TRUE(store_->journal().begin(bare));
  expect_same(store_->archive().runs().find("bare").value().value(), bare);
}

TEST_P(StoreConformance, ARunIsUpdatedWhole) {
  auto run = run_with("id-1", 7, RunStatus::running);
  ASSERT_TRUE(store_->journal().begin(run));
  EXPECT_EQ(store_->archive().runs().figures("id-1").value(), "");
  auto changed = full_run("id-1");
  const std::string figures("fig\0ures\xff", 9);
  ASSERT_TRUE(store_->journal().write({changed.id}, changed, {figures, "layout", {1, 2}}));
  expect_same(store_->archive().runs().find("id-1").value().value(), changed);
  EXPECT_EQ(store_->archive().runs().figures("id-1").value(), figures);
  ASSERT_TRUE(store_->journal().write({run.id}, run, {}));
  expect_same(store_->archive().runs().find("id-1").value().value(), run);
  EXPECT_EQ(store_->archive().runs().figures("id-1").value(), "");
}

TEST_P(StoreConformance, ARunThatIsThereCannotBeAdded) {
  ASSERT_TRUE(store_->journal().begin(full_run("twice")));
  auto other = run_with("twice", 3);
  EXPECT_FALSE(store_->journal().begin(other));
  expect_same(store_->archive().runs().find("twice").value().value(), full_run("twice"));
}

TEST_P(StoreConformance, WhatIsNotThereIsNotFound) {
  EXPECT_FALSE(store_->archive().runs().find("nothing").value());
  EXPECT_FALSE(store_->archive().runs().find("last").value());
  EXPECT_TRUE(has_code(store_->archive().runs().results("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->archive().runs().figures("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->journal().take_up("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->archive().runs().request_stop("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->journal().stop_requested("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->journal().write({"nothing"}, run_with("nothing", 1), {}).error(),
                       Code::not_found));
  EXPECT_TRUE(
      has_code(store_->journal().add({"nothing"}, full_result(0)).error(), Code::not_found));
  EXPECT_TRUE(store_->archive().runs().list({}).value().runs.empty());  // and the store goes on
}

TEST_P(StoreConformance, ARunIsFoundByTheStartOfItsId) {
  ASSERT_TRUE(store_->journal().begin(run_with("abcd1234", 30)));
  ASSERT_TRUE(store_->journal().begin(run_with("abcd1299", 20)));
  ASSERT_TRUE(store_->journal().begin(run_with("abcd", 10)));
  EXPECT_EQ(store_->archive().runs().find("abcd1234").value()->id, "abcd1234");
  EXPECT_EQ(store_->archive().runs().find("abcd123").value()->id, "abcd1234");
  EXPECT_EQ(store_->archive().runs().find("abcd").value()->id,
            "abcd");  // whole: others may begin with it
  EXPECT_EQ(store_->archive().runs().find("last").value()->id, "abcd1234");
  EXPECT_FALSE(store_->archive().runs().find("abc").value());  // too short
  EXPECT_FALSE(store_->archive().runs().find("abcd13").value());
  EXPECT_FALSE(store_->archive().runs().find("").value());
  const auto several = store_->archive().runs().find("abcd12");
  ASSERT_FALSE(several);
  EXPECT_NE(text_of(several.error()).find("`abcd1234`, `abcd1299`"), std::string::npos)
      << text_of(several.error());
}

// ---- results

TEST_P(StoreConformance, ResultsComeBackBySample) {
  ASSERT_TRUE(store_->journal().begin(run_with("a-run", 1)));
  ASSERT_TRUE(store_->journal().begin(run_with("b-run", 2)));
  score::Result bare;
  bare.sample = 4'294'967'295;
  bare.eval_name = "bare";
  ASSERT_TRUE(store_->journal().add({"a-run"}, bare));
  ASSERT_TRUE(store_->journal().add({"a-run"}, full_result(5)));
  ASSERT_TRUE(store_->journal().add({"a-run"}, full_result(0)));
  ASSERT_TRUE(store_->journal().add({"b-run"}, full_result(1)));
  const auto results = open()->archive().runs().results("a-run").value();
  ASSERT_EQ(results.size(), 3u);
  expect_same(results[0], full_result(0));
  expect_same(results[1], full_result(5));
  expect_same(results[2], bare);
  EXPECT_EQ(store_->archive().runs().results("b-run").value().size(), 1u);
}

TEST_P(StoreConformance, AResultOfTheSameSampleIsReplaced) {
  ASSERT_TRUE(store_->journal().begin(run_with("a-run", 1)));
  ASSERT_TRUE(store_->journal().add({"a-run"}, full_result(0)));
  auto again = full_result(0);
  again.response = "London";
  again.cost = std::nullopt;
  ASSERT_TRUE(store_->journal().add({"a-run"}, again));
  const auto results = store_->archive().runs().results("a-run").value();
  ASSERT_EQ(results.size(), 1u);
  expect_same(results[0], again);
}

TEST_P(StoreConformance, TextsAreKeptByteByByte) {
  ASSERT_TRUE(store_->journal().begin(run_with("a-run", 1)));
  std::string every;
  for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
  auto result = full_result(0);
  result.prompt = result.response = result.thinking = result.error = every;
  result.eval_name = result.stop_reason = std::string("\0\xff", 2);
  ASSERT_TRUE(store_->journal().add({"a-run"}, result));
  auto large = full_result(1);
  large.response.assign(10 << 20, 'x');
  large.response[5'000'000] = '\0';
  ASSERT_TRUE(store_->journal().add({"a-run"}, large));
  const auto results = open()->archive().runs().results("a-run").value();
  expect_same(results[0], result);
  EXPECT_TRUE(results[1].response == large.response);

  auto run = run_with("texts", 1);
  run.suite_text = run.system_prompt = run.error = run.explanation = every;
  ASSERT_TRUE(store_->journal().begin(run));
  expect_same(store_->archive().runs().find("texts").value().value(), run);
}

// ---- holding and stopping

TEST_P(StoreConformance, ARunIsHeldByOne) {
  auto lock = store_->journal().begin(run_with("a-run", 1, RunStatus::running));
  ASSERT_TRUE(lock);
  const auto other = open();
  EXPECT_TRUE(has_code(other->journal().take_up("a-run").error(), Code::run_held));
  EXPECT_TRUE(has_code(store_->journal().take_up("a-run").error(), Code::run_held));
  auto second = store_->journal().begin(run_with("b-run", 1, RunStatus::running));
  ASSERT_TRUE(second);
  lock->lock.reset();
  EXPECT_TRUE(has_code(other->journal().take_up("b-run").error(), Code::run_held));
  const auto taken = other->journal().take_up("a-run");
  ASSERT_TRUE(taken);
  EXPECT_TRUE(has_code(store_->journal().take_up("a-run").error(), Code::run_held));
}

TEST_P(StoreConformance, RunsThatNobodyHoldsAreMarked) {
  auto held = store_->journal().begin(run_with("held", 1'000, RunStatus::running)).value();
  auto run = run_with("gone", 1'000, RunStatus::running);
  run.started_at = 2'000;
  ASSERT_TRUE(store_->journal().begin(run));
  ASSERT_TRUE(store_->journal().begin(run_with("queued", 1'000, RunStatus::queued)));
  ASSERT_TRUE(store_->journal().begin(run_with("done", 1'000, RunStatus::completed)));
  auto passed = full_result(0);
  passed.status = score::ResultStatus::passed;
  auto error = full_result(1);
  error.status = score::ResultStatus::error;
  error.prompt_tokens = std::nullopt;
  ASSERT_TRUE(store_->journal().add({"gone"}, passed));
  ASSERT_TRUE(store_->journal().add({"gone"}, error));

  place_->set_clock(9'000);
  EXPECT_EQ(open()->journal().mark_interrupted().value(), 2u);
  place_->set_clock(9'500);
  EXPECT_EQ(open()->journal().mark_interrupted().value(), 0u);
  const auto gone = store_->archive().runs().find("gone").value().value();
  EXPECT_EQ(gone.status, RunStatus::failed);
  EXPECT_EQ(gone.error, "interrupted");
  EXPECT_EQ(gone.results, 2u);
  EXPECT_EQ(gone.passed, 1u);
  EXPECT_EQ(gone.errors, 1u);
  EXPECT_EQ(gone.total_cost, 0.006);
  EXPECT_EQ(gone.prompt_tokens, std::nullopt);  // one is unknown
  EXPECT_EQ(gone.completion_tokens, 2);
  EXPECT_GT(gone.completed_at.value(), 9'500);  // when the last result came: now
  const auto queued = store_->archive().runs().find("queued").value().value();
  EXPECT_EQ(queued.status, RunStatus::failed);
  EXPECT_EQ(queued.completed_at, 9'000);
  EXPECT_EQ(queued.results, 0u);
  EXPECT_EQ(queued.total_cost, std::nullopt);
  EXPECT_EQ(store_->archive().runs().find("held").value()->status, RunStatus::running);
  EXPECT_EQ(store_->archive().runs().find("done").value()->status, RunStatus::completed);
}

TEST_P(StoreConformance, RunsOfKilledProcessesAreMeasuredLater) {
  for (const char* id : {"gone-1", "gone-2", "gone-3"}) {
    ASSERT_TRUE(store_->journal().begin(run_with(id, 1'000, RunStatus::running)));
    ASSERT_TRUE(store_->journal().add({id}, full_result(0)));
  }
  ASSERT_TRUE(store_->journal().begin(run_with("empty", 1'000, RunStatus::running)));
  EXPECT_TRUE(store_->journal().unmeasured(9)->empty());
  ASSERT_EQ(open()->journal().mark_interrupted(), 4u);
  auto& journal = store_->journal();
  EXPECT_EQ(journal.unmeasured(9), (std::vector<std::string>{"gone-3", "gone-2", "gone-1"}));
  EXPECT_EQ(journal.unmeasured(1), std::vector<std::string>{"gone-3"});
  ASSERT_TRUE(journal.add_measured("gone-3", {"figures", "layout", {1, 2}}));
  ASSERT_TRUE(journal.add_measured("gone-2", {}));  // it cannot be measured
  ASSERT_TRUE(journal.add_measured("gone-2", {"late", "layout", {1}}));
  EXPECT_EQ(store_->archive().runs().figures("gone-3"), "figures");
  EXPECT_EQ(store_->archive().runs().figures("gone-2"), "");
  EXPECT_EQ(journal.unmeasured(9), std::vector<std::string>{"gone-1"});
  // A run that is resumed is measured at its end.
  auto held = journal.take_up("gone-1");
  ASSERT_TRUE(held);
  ASSERT_TRUE(journal.write(held->hold, run_with("gone-1", 1'000, RunStatus::running), {}));
  EXPECT_TRUE(journal.unmeasured(9)->empty());
  EXPECT_TRUE(has_code(journal.add_measured("nothing", {}).error(), Code::not_found));
}

TEST_P(StoreConformance, HowSureAScoreIsIsAddedOnce) {
  auto& journal = store_->journal();
  auto run = full_run("a-run");
  run.status = RunStatus::completed;
  const auto computed = run.certainty;
  run.certainty.reset();
  ASSERT_TRUE(journal.begin(run));
  expect_same(store_->archive().runs().find("a-run").value().value(), run);
  ASSERT_TRUE(journal.add_certainty("a-run", *computed));
  auto other = *computed;
  other.seed = 8;
  ASSERT_TRUE(journal.add_certainty("a-run", other));  // it stays as it was
  run.certainty = computed;
  expect_same(store_->archive().runs().find("a-run").value().value(), run);
  expect_same(store_->archive().runs().list({}).value().runs.at(0).certainty, computed);

  auto working = running("working");
  working.certainty.reset();
  const auto held = journal.begin(working);
  ASSERT_TRUE(journal.add_certainty("working", *computed));  // it will have another score
  expect_same(store_->archive().runs().find("working").value().value().certainty, std::nullopt);
  EXPECT_TRUE(has_code(journal.add_certainty("nothing", *computed).error(), Code::not_found));
}

TEST_P(StoreConformance, ARunIsAskedToStop) {
  auto run = run_with("a-run", 1, RunStatus::running);
  auto lock = store_->journal().begin(run).value();
  EXPECT_FALSE(store_->journal().stop_requested("a-run").value());
  EXPECT_TRUE(open()->archive().runs().request_stop("a-run").value());
  EXPECT_TRUE(store_->journal().stop_requested("a-run").value());
  run.status = RunStatus::cancelled;
  ASSERT_TRUE(store_->journal().write({run.id}, run, {}));
  EXPECT_FALSE(store_->archive().runs().request_stop("a-run").value());  // it is finished
  lock.lock.reset();
  ASSERT_TRUE(
      store_->journal().take_up("a-run"));  // taken up again: the request was for the time before
  EXPECT_FALSE(store_->journal().stop_requested("a-run").value());
}

}  // namespace vibe::test
