// Lists of runs in two steps: which they are, and those that are wanted.
#include <cstdint>
#include <string>
#include <vector>

#include "store/conformance.h"

namespace vibe::test {

using base::Code;
using score::RunStatus;
using store::RunOrder;
using store::RunQuery;

namespace {

using Ids = std::vector<std::string>;

template <class Runs>
Ids ids(const Runs& runs) {
  Ids out;
  for (const auto& run : runs) out.push_back(run.id);
  return out;
}

score::Run running(const std::string& id) {
  auto run = full_run(id);
  run.status = RunStatus::running;
  return run;
}

}  // namespace

TEST_P(RunLists, TellTheIdsOfTheSamePage) {
  add_some();
  for (int order = 0; order <= static_cast<int>(RunOrder::price_performance); ++order) {
    for (const bool by_status : {false, true}) {
      for (const char* model : {"", "model"}) {
        RunQuery query;
        query.order = static_cast<RunOrder>(order);
        query.limit = 3;
        query.model = model;
        if (by_status) query.status = {RunStatus::completed, RunStatus::failed};
        do {
          const auto page = store_->runs(query).value();
          const auto listed = store_->list_runs(query).value();
          EXPECT_EQ(ids(listed.items), ids(page.runs));
          EXPECT_EQ(listed.next, page.next);
          EXPECT_EQ(listed.total, page.total);
          query.after = page.next;
        } while (!query.after.empty());
      }
    }
  }
  RunQuery query;
  query.after = "nonsense";
  const auto refused = store_->list_runs(query);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(has_code(refused.error(), Code::bad_usage));
}

TEST_P(RunLists, GiveTheRunsOfIdsInTheirOrder) {
  add_some();
  ASSERT_TRUE(store_->add_run(full_run("full")));
  const Ids wanted{"c", "gone", "full", "a", "c"};
  const auto runs = store_->runs_of(wanted).value();
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[0].id, "c");
  auto expected = full_run("full");
  expected.suite_text.clear();
  expected.explanation.clear();
  expect_same(runs[1], expected);
  EXPECT_EQ(runs[2].id, "a");
  EXPECT_EQ(runs[3].id, "c");
  EXPECT_TRUE(store_->runs_of({}).value().empty());
}

// Whatever changes a run raises its stamp, and that of no other.
TEST_P(RunLists, RaiseTheStampOfARunThatHasChanged) {
  const auto stamp = [&](const char* id) {
    const auto page = open()->list_runs({}).value();
    for (const auto& run : page.items)
      if (run.id == id) return run.stamp;
    ADD_FAILURE() << id;
    return std::int64_t{0};
  };
  add("other", 5, 1, 1, 1, 1);
  auto run = running("a-run");
  auto lock = store_->add_run(run);
  ASSERT_TRUE(lock);
  const auto other = stamp("other");
  auto last = stamp("a-run");
  EXPECT_EQ(stamp("a-run"), last);
  const auto expect_raised = [&](const char* what) {
    const auto now = stamp("a-run");
    EXPECT_GT(now, last) << what;
    last = now;
  };

  run.results = 1;
  ASSERT_TRUE(store_->update_run(run, ""));
  expect_raised("update");
  ASSERT_TRUE(store_->update_run(run, ""));
  ASSERT_TRUE(open()->update_run(run, ""));
  expect_raised("updates of two stores");
  lock->reset();
  ASSERT_EQ(store_->mark_interrupted(50).value(), 1u);
  expect_raised("interruption");
  run.status = RunStatus::queued;
  ASSERT_TRUE(store_->enqueue(run, "order"));
  expect_raised("enqueue");
  {
    const auto claim = store_->claim("worker", 60, 100).value();
    ASSERT_TRUE(claim);
    run.status = RunStatus::running;
    ASSERT_TRUE(store_->update_run(run, ""));
    expect_raised("start");
    ASSERT_TRUE(store_->hand_back("a-run", "worker"));
    expect_raised("hand back");
  }
  EXPECT_EQ(stamp("other"), other);
}

}  // namespace vibe::test
