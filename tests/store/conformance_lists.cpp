// Lists of runs: ordered, filtered, in pages; and in two steps: which they are, and those that are
// wanted.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "store/conformance.h"

namespace vibe::test {

using base::Code;
using score::RunStatus;
using store::RunOrder;
using store::RunQuery;

// A run with some figures; none where the number is negative.
void RunLists::add(const std::string& id, store::Millis created, double success, double cost,
                   double time, double score) {
  auto run = run_with(id, created);
  if (success >= 0) {
    run.results = 100;
    run.passed = static_cast<std::uint32_t>(success);
  }
  if (cost >= 0) run.total_cost = cost;
  if (time >= 0) run.duration = time;
  if (score >= 0) run.score = score;
  ASSERT_TRUE(store_->journal().begin(run));
}

void RunLists::add_some() {
  add("a", 10, 50, 0.5, 3, 7);
  add("b", 20, 100, 0.1, 2, -1);
  add("c", 30, 0, -1, 1, 9);
  add("d", 40, -1, 0.3, -1, 8);
}

std::vector<std::string> RunLists::listed(RunOrder order, bool ascending) {
  RunQuery query;
  query.order = order;
  query.ascending = ascending;
  return ids(store_->archive().runs().list(query).value().runs);
}

TEST_P(RunLists, AreOrderedByEachFigureWithTheUnknownLast) {
  add_some();
  EXPECT_EQ(listed(RunOrder::created, false), (Ids{"d", "c", "b", "a"}));
  EXPECT_EQ(listed(RunOrder::created, true), (Ids{"a", "b", "c", "d"}));
  EXPECT_EQ(listed(RunOrder::success, false), (Ids{"b", "a", "c", "d"}));
  EXPECT_EQ(listed(RunOrder::success, true), (Ids{"c", "a", "b", "d"}));
  EXPECT_EQ(listed(RunOrder::cost, false), (Ids{"a", "d", "b", "c"}));
  EXPECT_EQ(listed(RunOrder::cost, true), (Ids{"b", "d", "a", "c"}));
  EXPECT_EQ(listed(RunOrder::time, false), (Ids{"a", "b", "c", "d"}));
  EXPECT_EQ(listed(RunOrder::time, true), (Ids{"c", "b", "a", "d"}));
  EXPECT_EQ(listed(RunOrder::score, false), (Ids{"c", "d", "a", "b"}));
  EXPECT_EQ(listed(RunOrder::score, true), (Ids{"a", "d", "c", "b"}));
  // a: 50 / (500 + 0.3), b: 100 / (100 + 0.2)
  EXPECT_EQ(listed(RunOrder::price_performance, false), (Ids{"b", "a", "d", "c"}));
  EXPECT_EQ(listed(RunOrder::price_performance, true), (Ids{"a", "b", "c", "d"}));
}

TEST_P(RunLists, HoldNoTextsOfSuitesAndExplanations) {
  ASSERT_TRUE(store_->journal().begin(full_run("full")));
  auto expected = full_run("full");
  expected.suite_text.clear();
  expected.explanation.clear();
  expect_same(store_->archive().runs().list({}).value().runs.at(0), expected);
}

// Every order, in pages of every size, gives what one page gives.
TEST_P(RunLists, ComeInPages) {
  constexpr RunStatus kSome[] = {RunStatus::completed, RunStatus::failed, RunStatus::cancelled};
  for (int i = 0; i < 23; ++i) {
    auto run = run_with("run-" + std::to_string(i), 100 + i / 3, kSome[i % 3]);
    if (i % 5 != 0) run.score = i / 6;  // many are equal
    if (i % 4 != 0) run.total_cost = i % 3;
    if (i % 2 != 0) run.duration = 1;
    if (i % 7 != 0) run.results = 4, run.passed = static_cast<std::uint32_t>(i % 4);
    ASSERT_TRUE(store_->journal().begin(run));
  }
  for (int order = 0; order <= static_cast<int>(RunOrder::price_performance); ++order) {
    for (const bool ascending : {false, true}) {
      RunQuery query;
      query.order = static_cast<RunOrder>(order);
      query.ascending = ascending;
      const auto whole = ids(store_->archive().runs().list(query).value().runs);
      EXPECT_EQ(std::set<std::string>(whole.begin(), whole.end()).size(), 23u);
      for (std::size_t size = 1; size <= 24; ++size) {
        Ids paged;
        query.limit = size;
        query.after.clear();
        do {
          const auto page = store_->archive().runs().list(query).value();
          EXPECT_EQ(page.total, 23u);
          EXPECT_LE(page.runs.size(), size);
          for (const auto& run : page.runs) paged.push_back(run.id);
          query.after = page.next;
        } while (!query.after.empty() && paged.size() <= 23);
        EXPECT_EQ(paged, whole) << "order " << order << ", pages of " << size;
      }
      query.after.clear();
      for (std::size_t offset = 0; offset <= 25; ++offset) {
        query.offset = offset;
        query.limit = 3;
        const auto begin = whole.begin() + static_cast<long>(std::min<std::size_t>(offset, 23));
        const auto end = whole.begin() + static_cast<long>(std::min<std::size_t>(offset + 3, 23));
        EXPECT_EQ(ids(store_->archive().runs().list(query).value().runs), Ids(begin, end))
            << "order " << order << ", offset " << offset;
      }
    }
  }
}

TEST_P(RunLists, CountTheResultsOfARunAtWork) {
  using score::ResultStatus;
  const auto add_result = [&](std::uint32_t sample, ResultStatus status) {
    auto result = full_result(sample);
    result.status = status;
    ASSERT_TRUE(store_->journal().add({"at-work"}, result));
  };
  // In each way of listing: results, passes, errors.
  const auto expect_counts = [&](std::uint32_t results, std::uint32_t passed,
                                 std::uint32_t errors) {
    const std::vector<std::string> ids{"at-work"};
    for (const auto& run : {store_->archive().runs().list({}).value().runs.at(0),
                            store_->feed().runs_of(ids).value().at(0),
                            store_->archive().runs().find("at-work").value().value()}) {
      EXPECT_EQ(run.results, results);
      EXPECT_EQ(run.passed, passed);
      EXPECT_EQ(run.errors, errors);
    }
  };
  const auto lock = store_->journal().begin(run_with("at-work", 1, RunStatus::running));
  ASSERT_TRUE(lock);
  expect_counts(0, 0, 0);
  add_result(0, ResultStatus::passed);
  add_result(7, ResultStatus::error);
  auto stamp = store_->feed().list({}).value().items.at(0).stamp;
  add_result(3, ResultStatus::failed);
  expect_counts(3, 1, 1);
  // who has seen it learns that it looks different
  EXPECT_GT(store_->feed().list({}).value().items.at(0).stamp, stamp);
  stamp = store_->feed().list({}).value().items.at(0).stamp;
  add_result(7, ResultStatus::passed);  // asked again
  expect_counts(3, 2, 0);
  EXPECT_GT(store_->feed().list({}).value().items.at(0).stamp, stamp);

  auto finished = full_run("at-work");
  finished.status = RunStatus::completed;
  ASSERT_TRUE(store_->journal().write({finished.id}, finished, {}));
  add_result(9, ResultStatus::passed);  // what was said of it at its end stays
  expect_counts(finished.results, finished.passed, finished.errors);
}

TEST_P(RunLists, TrendsLeaveOutOtherModelsAndFailedAndPartialRuns) {
  const std::array statuses{RunStatus::completed, RunStatus::failed,    RunStatus::partial_failure,
                            RunStatus::timed_out, RunStatus::cancelled, RunStatus::running,
                            RunStatus::completed, RunStatus::completed};
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    auto run = run_with("run-" + std::to_string(i), static_cast<int>(i), statuses[i]);
    run.score = i;
    if (i == 6) run.model = "another";
    ASSERT_TRUE(store_->journal().begin(run));
  }
  const auto any = run_with("any", 0);
  auto& runs = store_->archive().runs();
  using Scores = std::vector<std::optional<double>>;
  EXPECT_EQ(runs.last_scores(any.suite_name, any.model, 10).value(), (Scores{0, 7}));
  EXPECT_EQ(runs.last_scores(any.suite_name, "another", 10).value(), (Scores{6}));
}

TEST_P(RunLists, APageDoesNotMoveWhenRunsAreAdded) {
  add_some();
  RunQuery query;
  query.limit = 2;
  const auto first = store_->archive().runs().list(query).value();
  add("e", 50, 1, 1, 1, 1);
  query.after = first.next;
  EXPECT_EQ(ids(store_->archive().runs().list(query).value().runs), (Ids{"b", "a"}));
}

TEST_P(RunLists, RefuseACursorOfAnotherList) {
  add_some();
  RunQuery query;
  query.limit = 1;
  const std::string next = store_->archive().runs().list(query).value().next;
  ASSERT_FALSE(next.empty());
  query.order = RunOrder::score;
  for (const std::string& cursor :
       {next, std::string("nonsense"), std::string("nd"), std::string("nd."), std::string("ndx.1"),
        std::string("nd-.1x"), std::string("nd-.99999999999999999999")}) {
    query.after = cursor;
    const auto page = store_->archive().runs().list(query);
    ASSERT_FALSE(page) << cursor;
    EXPECT_TRUE(has_code(page.error(), Code::bad_usage));
  }
}

struct FilterCase {
  const char* name;
  std::function<void(RunQuery&)> set;
  Ids want;
};

TEST_P(RunLists, AreFiltered) {
  add_some();
  auto other = run_with("o", 5, RunStatus::failed);
  other.suite_name = "other";
  other.model = "openai/GPT_4%";
  other.completed_at = 500;
  other.tags = {"math", "a \"hard\" one"};
  ASSERT_TRUE(store_->journal().begin(other));
  ASSERT_TRUE(store_->journal().begin(run_with("r", 6, RunStatus::running)));
  const FilterCase cases[] = {
      {"suite", [](RunQuery& q) { q.suite = "other"; }, {"o"}},
      {"no suite", [](RunQuery& q) { q.suite = "othe"; }, {}},
      {"status", [](RunQuery& q) { q.status = {RunStatus::failed}; }, {"o"}},
      {"two", [](RunQuery& q) { q.status = {RunStatus::failed, RunStatus::running}; }, {"r", "o"}},
      {"status_ne", [](RunQuery& q) { q.status_ne = {RunStatus::completed}; }, {"r", "o"}},
      {"no status", [](RunQuery& q) { q.status = q.status_ne = {RunStatus::completed}; }, {}},
      {"model", [](RunQuery& q) { q.model = "openai/GPT_4%"; }, {"o"}},
      {"model exactly", [](RunQuery& q) { q.model = "openai/gpt_4%"; }, {}},
      {"model_like", [](RunQuery& q) { q.model_like = "OPENAI/%"; }, {"o"}},
      {"model_like one", [](RunQuery& q) { q.model_like = "mode_"; }, {"d", "c", "b", "a", "r"}},
      {"tag", [](RunQuery& q) { q.tag = "a \"hard\" one"; }, {"o"}},
      {"what is between tags", [](RunQuery& q) { q.tag = ","; }, {}},
      {"part of a tag", [](RunQuery& q) { q.tag = "hard"; }, {}},
      {"cost", [](RunQuery& q) { q.cost = {0.1, 0.3}; }, {"d", "b"}},
      {"success", [](RunQuery& q) { q.success = {50, {}}; }, {"b", "a"}},
      {"score", [](RunQuery& q) { q.score = {{}, 8}; }, {"d", "a"}},
      {"duration", [](RunQuery& q) { q.duration = {2, 2}; }, {"b"}},
      {"from", [](RunQuery& q) { q.created.from = 30; }, {"d", "c"}},
      {"to", [](RunQuery& q) { q.created.to = 6; }, {"r", "o"}},
      {"completed from", [](RunQuery& q) { q.completed.from = 500; }, {"o"}},
      {"completed to", [](RunQuery& q) { q.completed.to = 500; }, {"o"}},
      {"completed later", [](RunQuery& q) { q.completed.from = 501; }, {}},
      {"completed earlier", [](RunQuery& q) { q.completed.to = 499; }, {}},
      {"suite and score", [](RunQuery& q) { q.suite = "suite", q.score = {8, 9}; }, {"d", "c"}},
      {"limit 0", [](RunQuery& q) { q.limit = 0; }, {}},
  };
  for (const auto& each : cases) {
    RunQuery query;
    each.set(query);
    const auto page = store_->archive().runs().list(query);
    ASSERT_TRUE(page) << each.name << text_of(page.error());
    EXPECT_EQ(ids(page->runs), each.want) << each.name;
    EXPECT_EQ(page->total, query.limit > 0 ? each.want.size() : 6) << each.name;
    query.order = RunOrder::score;  // the same runs, in whatever order
    auto sorted = ids(store_->archive().runs().list(query).value().runs), want = each.want;
    std::sort(sorted.begin(), sorted.end());
    std::sort(want.begin(), want.end());
    EXPECT_EQ(sorted, want) << each.name;
  }
}

TEST_P(RunLists, SayHowManyRunsHaveAStatus) {
  const auto total = [&](std::vector<RunStatus> status) {
    RunQuery query;
    query.limit = 1;
    query.status = std::move(status);
    return store_->archive().runs().list(query).value().total;
  };
  EXPECT_EQ(total({}), 0u);
  for (int i = 0; i < 5; ++i) {
    auto run = run_with("run-" + std::to_string(i), i, RunStatus::running);
    const auto lock = store_->journal().begin(run);
    if (i < 3) run.status = RunStatus::completed;
    if (i > 0) {
      ASSERT_TRUE(store_->journal().write({run.id}, run, {}));
    }
  }
  EXPECT_EQ(total({}), 5u);
  EXPECT_EQ(total({RunStatus::running}), 3u);
  EXPECT_EQ(total({RunStatus::completed}), 2u);
  EXPECT_EQ(total({RunStatus::completed, RunStatus::running}), 5u);
  EXPECT_EQ(total({RunStatus::failed}), 0u);
  EXPECT_EQ(store_->journal().mark_interrupted().value(), 3u);
  EXPECT_EQ(total({RunStatus::failed}), 3u);
  EXPECT_EQ(total({RunStatus::running}), 0u);
}

TEST_P(RunLists, HaveNamedValuesOfEveryKind) {
  auto run = full_run("a-run");
  run.score_metrics = {{"plain", "a + b", 1.5, ""},
                       {"quote", "\"x\" \\ \n", -0.25, ""},
                       {"é", "ü", 1e300, ""},
                       {"none", "", std::nullopt, "division by `0`"},
                       {"small", "", 5e-324, "tab\there"},
                       {"", "", 0, ""},
                       {"a],[{\"name\":", "}", 1e21, "\\"}};
  run.metrics.clear();
  ASSERT_TRUE(store_->journal().begin(run));
  for (const auto& kept : {store_->archive().runs().list({}).value().runs.at(0),
                           store_->archive().runs().find("a-run").value().value()}) {
    ASSERT_EQ(kept.score_metrics.size(), run.score_metrics.size());
    for (std::size_t i = 0; i < run.score_metrics.size(); ++i) {
      EXPECT_EQ(kept.score_metrics[i].name, run.score_metrics[i].name);
      EXPECT_EQ(kept.score_metrics[i].formula, run.score_metrics[i].formula);
      EXPECT_EQ(kept.score_metrics[i].value, run.score_metrics[i].value);
      EXPECT_EQ(kept.score_metrics[i].error, run.score_metrics[i].error);
    }
    EXPECT_TRUE(kept.metrics.empty());
  }
}

TEST_P(RunLists, GiveTheLastScoresOfASuite) {
  add_some();
  ASSERT_TRUE(store_->journal().begin(run_with("r", 60, RunStatus::running)));
  using Scores = std::vector<std::optional<double>>;
  EXPECT_EQ(store_->archive().runs().last_scores("suite", "model", 10).value(),
            (Scores{7, std::nullopt, 9, 8}));
  EXPECT_EQ(store_->archive().runs().last_scores("suite", "model", 2).value(), (Scores{9, 8}));
  EXPECT_EQ(store_->archive().runs().last_scores("none", "model", 2).value(), Scores{});
}

// ---- in two steps

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
          const auto page = store_->archive().runs().list(query).value();
          const auto listed = store_->feed().list(query).value();
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
  const auto refused = store_->feed().list(query);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(has_code(refused.error(), Code::bad_usage));
}

TEST_P(RunLists, GiveTheRunsOfIdsInTheirOrder) {
  add_some();
  ASSERT_TRUE(store_->journal().begin(full_run("full")));
  const Ids wanted{"c", "gone", "full", "a", "c"};
  const auto runs = store_->feed().runs_of(wanted).value();
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[0].id, "c");
  auto expected = full_run("full");
  expected.suite_text.clear();
  expected.explanation.clear();
  expect_same(runs[1], expected);
  EXPECT_EQ(runs[2].id, "a");
  EXPECT_EQ(runs[3].id, "c");
  EXPECT_TRUE(store_->feed().runs_of({}).value().empty());
}

// Whatever changes a run raises its stamp, and that of no other.
TEST_P(RunLists, RaiseTheStampOfARunThatHasChanged) {
  const auto stamp = [&](const char* id) {
    const auto page = open()->feed().list({}).value();
    for (const auto& run : page.items)
      if (run.id == id) return run.stamp;
    ADD_FAILURE() << id;
    return std::int64_t{0};
  };
  add("other", 5, 1, 1, 1, 1);
  auto run = running("a-run");
  auto lock = store_->journal().begin(run);
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
  ASSERT_TRUE(store_->journal().write({run.id}, run, {}));
  expect_raised("update");
  ASSERT_TRUE(store_->journal().write({run.id}, run, {}));
  ASSERT_TRUE(open()->journal().write({run.id}, run, {}));
  expect_raised("updates of two stores");
  lock->lock.reset();
  ASSERT_EQ(store_->journal().mark_interrupted().value(), 1u);
  expect_raised("interruption");
  run.status = RunStatus::queued;
  ASSERT_TRUE(store_->queue().enqueue(run, "job"));
  expect_raised("enqueue");
  {
    const auto claim = store_->queue().claim("worker", 60).value();
    ASSERT_TRUE(claim);
    run.status = RunStatus::running;
    ASSERT_TRUE(store_->journal().write(claim->held.hold, run, {}));
    expect_raised("start");
    ASSERT_TRUE(store_->queue().hand_back(claim->held.hold));
    expect_raised("hand back");
  }
  EXPECT_EQ(stamp("other"), other);
}

}  // namespace vibe::test
