// Runs and their results, one by one; runs that are held, marked, and asked to stop.
#include "store/conformance.h"

namespace vibe::test {

using base::Code;
using score::RunStatus;

// ---- runs

TEST_P(StoreConformance, ARunComesBackAsItWas) {
  const auto run = full_run("01a1e211-0031-7d8d-8188-2846f295f71e");
  ASSERT_TRUE(store_->add_run(run));
  expect_same(store_->run(run.id).value().value(), run);
  expect_same(open()->run(run.id).value().value(), run);

  auto bare = run_with("bare", 7);
  ASSERT_TRUE(store_->add_run(bare));
  expect_same(store_->run("bare").value().value(), bare);
}

TEST_P(StoreConformance, ARunIsUpdatedWhole) {
  auto run = run_with("id-1", 7, RunStatus::running);
  ASSERT_TRUE(store_->add_run(run));
  EXPECT_EQ(store_->figures("id-1").value(), "");
  auto changed = full_run("id-1");
  const std::string figures("fig\0ures\xff", 9);
  ASSERT_TRUE(store_->update_run(changed, figures));
  expect_same(store_->run("id-1").value().value(), changed);
  EXPECT_EQ(store_->figures("id-1").value(), figures);
  ASSERT_TRUE(store_->update_run(run, ""));
  expect_same(store_->run("id-1").value().value(), run);
  EXPECT_EQ(store_->figures("id-1").value(), "");
}

TEST_P(StoreConformance, ARunThatIsThereCannotBeAdded) {
  ASSERT_TRUE(store_->add_run(full_run("twice")));
  auto other = run_with("twice", 3);
  EXPECT_FALSE(store_->add_run(other));
  expect_same(store_->run("twice").value().value(), full_run("twice"));
}

TEST_P(StoreConformance, WhatIsNotThereIsNotFound) {
  EXPECT_FALSE(store_->run("nothing").value());
  EXPECT_FALSE(store_->run("last").value());
  EXPECT_TRUE(has_code(store_->results("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->figures("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->hold_run("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->request_stop("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->stop_requested("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->update_run(run_with("nothing", 1), "").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->add_result("nothing", full_result(0)).error(), Code::not_found));
  EXPECT_TRUE(store_->runs({}).value().runs.empty());  // and the store goes on
}

TEST_P(StoreConformance, ARunIsFoundByTheStartOfItsId) {
  ASSERT_TRUE(store_->add_run(run_with("abcd1234", 30)));
  ASSERT_TRUE(store_->add_run(run_with("abcd1299", 20)));
  ASSERT_TRUE(store_->add_run(run_with("abcd", 10)));
  EXPECT_EQ(store_->run("abcd1234").value()->id, "abcd1234");
  EXPECT_EQ(store_->run("abcd123").value()->id, "abcd1234");
  EXPECT_EQ(store_->run("abcd").value()->id, "abcd");  // whole: others may begin with it
  EXPECT_EQ(store_->run("last").value()->id, "abcd1234");
  EXPECT_FALSE(store_->run("abc").value());  // too short
  EXPECT_FALSE(store_->run("abcd13").value());
  EXPECT_FALSE(store_->run("").value());
  const auto several = store_->run("abcd12");
  ASSERT_FALSE(several);
  EXPECT_NE(text_of(several.error()).find("`abcd1234`, `abcd1299`"), std::string::npos)
      << text_of(several.error());
}

// ---- results

TEST_P(StoreConformance, ResultsComeBackBySample) {
  ASSERT_TRUE(store_->add_run(run_with("a-run", 1)));
  ASSERT_TRUE(store_->add_run(run_with("b-run", 2)));
  score::Result bare;
  bare.sample = 4'294'967'295;
  bare.eval_name = "bare";
  ASSERT_TRUE(store_->add_result("a-run", bare));
  ASSERT_TRUE(store_->add_result("a-run", full_result(5)));
  ASSERT_TRUE(store_->add_result("a-run", full_result(0)));
  ASSERT_TRUE(store_->add_result("b-run", full_result(1)));
  const auto results = open()->results("a-run").value();
  ASSERT_EQ(results.size(), 3u);
  expect_same(results[0], full_result(0));
  expect_same(results[1], full_result(5));
  expect_same(results[2], bare);
  EXPECT_EQ(store_->results("b-run").value().size(), 1u);
}

TEST_P(StoreConformance, AResultOfTheSameSampleIsReplaced) {
  ASSERT_TRUE(store_->add_run(run_with("a-run", 1)));
  ASSERT_TRUE(store_->add_result("a-run", full_result(0)));
  auto again = full_result(0);
  again.response = "London";
  again.cost = std::nullopt;
  ASSERT_TRUE(store_->add_result("a-run", again));
  const auto results = store_->results("a-run").value();
  ASSERT_EQ(results.size(), 1u);
  expect_same(results[0], again);
}

TEST_P(StoreConformance, TextsAreKeptByteByByte) {
  ASSERT_TRUE(store_->add_run(run_with("a-run", 1)));
  std::string every;
  for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
  auto result = full_result(0);
  result.prompt = result.response = result.thinking = result.error = every;
  result.eval_name = result.stop_reason = std::string("\0\xff", 2);
  ASSERT_TRUE(store_->add_result("a-run", result));
  auto large = full_result(1);
  large.response.assign(10 << 20, 'x');
  large.response[5'000'000] = '\0';
  ASSERT_TRUE(store_->add_result("a-run", large));
  const auto results = open()->results("a-run").value();
  expect_same(results[0], result);
  EXPECT_TRUE(results[1].response == large.response);

  auto run = run_with("texts", 1);
  run.suite_text = run.system_prompt = run.error = run.explanation = every;
  ASSERT_TRUE(store_->add_run(run));
  expect_same(store_->run("texts").value().value(), run);
}

// ---- holding and stopping

TEST_P(StoreConformance, ARunIsHeldByOne) {
  auto lock = store_->add_run(run_with("a-run", 1, RunStatus::running));
  ASSERT_TRUE(lock);
  const auto other = open();
  EXPECT_TRUE(has_code(other->hold_run("a-run").error(), Code::run_held));
  EXPECT_TRUE(has_code(store_->hold_run("a-run").error(), Code::run_held));
  auto second = store_->add_run(run_with("b-run", 1, RunStatus::running));
  ASSERT_TRUE(second);
  lock->reset();
  EXPECT_TRUE(has_code(other->hold_run("b-run").error(), Code::run_held));
  const auto taken = other->hold_run("a-run");
  ASSERT_TRUE(taken);
  EXPECT_TRUE(has_code(store_->hold_run("a-run").error(), Code::run_held));
}

TEST_P(StoreConformance, RunsThatNobodyHoldsAreMarked) {
  auto held = store_->add_run(run_with("held", 1'000, RunStatus::running)).value();
  auto run = run_with("gone", 1'000, RunStatus::running);
  run.started_at = 2'000;
  ASSERT_TRUE(store_->add_run(run));
  ASSERT_TRUE(store_->add_run(run_with("queued", 1'000, RunStatus::queued)));
  ASSERT_TRUE(store_->add_run(run_with("done", 1'000, RunStatus::completed)));
  auto passed = full_result(0);
  passed.status = score::ResultStatus::passed;
  auto error = full_result(1);
  error.status = score::ResultStatus::error;
  error.prompt_tokens = std::nullopt;
  ASSERT_TRUE(store_->add_result("gone", passed));
  ASSERT_TRUE(store_->add_result("gone", error));

  EXPECT_EQ(open()->mark_interrupted(9'000).value(), 2u);
  EXPECT_EQ(open()->mark_interrupted(9'500).value(), 0u);
  const auto gone = store_->run("gone").value().value();
  EXPECT_EQ(gone.status, RunStatus::failed);
  EXPECT_EQ(gone.error, "interrupted");
  EXPECT_EQ(gone.results, 2u);
  EXPECT_EQ(gone.passed, 1u);
  EXPECT_EQ(gone.errors, 1u);
  EXPECT_EQ(gone.total_cost, 0.006);
  EXPECT_EQ(gone.prompt_tokens, std::nullopt);  // one is unknown
  EXPECT_EQ(gone.completion_tokens, 2);
  EXPECT_GT(gone.completed_at.value(), 9'500);  // when the last result came: now
  const auto queued = store_->run("queued").value().value();
  EXPECT_EQ(queued.status, RunStatus::failed);
  EXPECT_EQ(queued.completed_at, 9'000);
  EXPECT_EQ(queued.results, 0u);
  EXPECT_EQ(queued.total_cost, std::nullopt);
  EXPECT_EQ(store_->run("held").value()->status, RunStatus::running);
  EXPECT_EQ(store_->run("done").value()->status, RunStatus::completed);
}

TEST_P(StoreConformance, ARunIsAskedToStop) {
  auto run = run_with("a-run", 1, RunStatus::running);
  auto lock = store_->add_run(run).value();
  EXPECT_FALSE(store_->stop_requested("a-run").value());
  EXPECT_TRUE(open()->request_stop("a-run").value());
  EXPECT_TRUE(store_->stop_requested("a-run").value());
  run.status = RunStatus::cancelled;
  ASSERT_TRUE(store_->update_run(run, ""));
  EXPECT_FALSE(store_->request_stop("a-run").value());  // it is finished
  lock.reset();
  ASSERT_TRUE(store_->hold_run("a-run"));  // taken up again: the request was for the time before
  EXPECT_FALSE(store_->stop_requested("a-run").value());
}

}  // namespace vibe::test
