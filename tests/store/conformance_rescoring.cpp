// What was measured of runs, in order, and the scores that are kept beside theirs.
#include <bit>
#include <cstring>

#include "score/measured.h"
#include "store/conformance.h"

namespace vibe::test {

using base::Code;
using score::RunStatus;
using store::ExceptionalRun;
using store::MeasuredRun;

namespace {

struct Seen : store::RunVisitor {
  std::size_t runs = 0, most = static_cast<std::size_t>(-1);
  std::string exceptions, measured, unmeasured;
  std::vector<store::RunNumber> numbers;

  static std::string in_words(const ExceptionalRun& run) {
    return std::string(to_string(run.status)) + (run.is_part ? " part" : "") +
           (run.is_all_errors ? " errors" : "") + (run.is_measured ? "" : " unmeasured") + ", ";
  }
  void on_begin(std::size_t all, std::vector<ExceptionalRun> unlike) override {
    runs = all;
    for (const auto& one : unlike) exceptions += in_words(one);
  }
  bool on_run(const MeasuredRun& run) override {
    double first = 0;
    EXPECT_EQ(run.inputs.size(), sizeof first);
    std::memcpy(&first, run.inputs.data(), sizeof first);
    measured += std::to_string(static_cast<int>(first)) + (run.min_score ? " gate" : "") + ", ";
    EXPECT_TRUE(numbers.empty() || numbers.back() < run.number);
    numbers.push_back(run.number);
    return numbers.size() < most;
  }
  void on_unmeasured(const ExceptionalRun& run) override { unmeasured += in_words(run); }
};

// A run whose only stored value is `value`; 0: it is not measured.
void add(store::Store& store, score::Run run, double value) {
  ASSERT_TRUE(store.journal().begin(run));
  score::Measured measured;
  if (value != 0) measured = {"figures", "layout", {value}};
  ASSERT_TRUE(store.journal().write({run.id}, run, measured));
}

score::Run scored(const std::string& id, RunStatus status = RunStatus::completed) {
  auto run = run_with(id, 7, status);
  run.results = 2;
  run.score = 1;
  return run;
}

Seen visited(store::Store& store, const store::RunQuery& query = {}) {
  Seen seen;
  EXPECT_TRUE(store.rescoring().visit(query, seen));
  return seen;
}

}  // namespace

TEST_P(StoreConformance, MeasuredRunsAreVisitedInOrder) {
  auto gated = scored("gated"), part = scored("part"), cheap = scored("cheap");
  gated.min_score = 3;
  part.parameters = R"({"only":["a"]})";
  cheap.total_cost = 0.5;
  cheap.parameters = R"({"only":[]})";
  auto broken = scored("broken", RunStatus::failed);
  broken.errors = 2;
  add(*store_, gated, 1);
  add(*store_, part, 2);
  add(*store_, cheap, 3);
  add(*store_, broken, 4);
  add(*store_, scored("bare"), 0);
  add(*store_, scored("running", RunStatus::running), 0);

  auto seen = visited(*store_);
  EXPECT_EQ(seen.runs, 6u);
  EXPECT_EQ(seen.measured, "1 gate, 2, 3, 4, ");
  EXPECT_EQ(seen.exceptions, "completed part, failed errors, running unmeasured, ");
  EXPECT_EQ(seen.unmeasured, "completed unmeasured, ");

  store::RunQuery query;
  query.cost.least = 0.1;
  seen = visited(*store_, query);
  EXPECT_EQ(seen.runs, 1u);
  EXPECT_EQ(seen.measured, "3, ");
  EXPECT_EQ(seen.unmeasured, "");
  query = {};
  query.status = {RunStatus::failed};
  seen = visited(*store_, query);
  EXPECT_EQ(seen.measured, "4, ");
  EXPECT_EQ(seen.unmeasured, "");
  query.status_ne = query.status;
  EXPECT_EQ(visited(*store_, query).runs, 0u);
}

TEST_P(StoreConformance, AVisitorMayStop) {
  for (const auto* id : {"a-run", "b-run", "c-run"}) add(*store_, scored(id), 1);
  Seen seen;
  seen.most = 2;
  ASSERT_TRUE(store_->rescoring().visit({}, seen));
  EXPECT_EQ(seen.numbers.size(), 2u);
  EXPECT_EQ(visited(*store_).numbers.size(), 3u);  // and the store can be used again
}

TEST_P(StoreConformance, LayoutsFiguresAndLabelsAreThoseOfTheRun) {
  auto run = scored("a-run");
  run.suite_name = "suite";
  run.model = "model";
  add(*store_, run, 1);
  add(*store_, scored("b-run"), 2);
  const auto seen = visited(*store_);
  const auto layouts = store_->rescoring().layouts().value();
  ASSERT_EQ(layouts.size(), 1u);
  EXPECT_EQ(layouts[0].encoded, "layout");
  EXPECT_EQ(store_->rescoring().figures(seen.numbers.at(0)).value(), "figures");
  EXPECT_EQ(store_->rescoring().figures(12345).value(), "");
  const auto labels =
      store_->rescoring()
          .labels(std::vector<store::RunNumber>{seen.numbers[1], 12345, seen.numbers[0]})
          .value();
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels[0].id, "b-run");
  EXPECT_EQ(labels[1].id, "a-run");
  EXPECT_EQ(labels[1].suite, "suite");
  EXPECT_EQ(labels[1].model, "model");
  EXPECT_EQ(labels[1].created_at, 7);
}

TEST_P(StoreConformance, KeptScoresAreShownWithTheirRun) {
  add(*store_, scored("a-run"), 1);
  add(*store_, scored("b-run"), 2);
  const auto numbers = visited(*store_).numbers;
  auto& rescoring = store_->rescoring();
  const store::KeptFormula formula{"strict", "a / b", "{}"};
  ASSERT_TRUE(rescoring.keep(
      formula, std::vector<store::NewScore>{{numbers[0], 2.5, ""}, {numbers[1], {}, "b is 0"}}));
  ASSERT_TRUE(
      rescoring.keep({"other", "c", "{}"}, std::vector<store::NewScore>{{numbers[0], 4, ""}}));
  ASSERT_TRUE(rescoring.keep(formula, std::vector<store::NewScore>{{numbers[0], 3, ""}}));
  const auto first = open()->archive().runs().find("a-run").value().value();
  ASSERT_EQ(first.kept_scores.size(), 2u);
  EXPECT_EQ(first.kept_scores[0].name, "other");  // by name
  EXPECT_EQ(first.kept_scores[1].name, "strict");
  EXPECT_EQ(first.kept_scores[1].formula, "a / b");
  EXPECT_EQ(first.kept_scores[1].value, 3);  // replaced
  EXPECT_EQ(first.score, 1);                 // its own is as it was
  const auto second = store_->archive().runs().find("b-run").value().value();
  ASSERT_EQ(second.kept_scores.size(), 1u);
  EXPECT_EQ(second.kept_scores[0].value, std::nullopt);
  EXPECT_EQ(second.kept_scores[0].error, "b is 0");
  EXPECT_TRUE(store_->archive().runs().list({}).value().runs[0].kept_scores.empty());
}

TEST_P(StoreConformance, ANameKeepsOneFormula) {
  add(*store_, scored("a-run"), 1);
  const auto numbers = visited(*store_).numbers;
  auto& rescoring = store_->rescoring();
  const std::vector<store::NewScore> scores{{numbers[0], 1, ""}};
  ASSERT_TRUE(rescoring.check_kept({"strict", "a", "1"}));
  ASSERT_TRUE(rescoring.keep({"strict", "a", "1"}, scores));
  ASSERT_TRUE(rescoring.check_kept({"strict", "a", "1"}));
  for (const char* text : {"a", "b"}) {
    EXPECT_TRUE(has_code(rescoring.check_kept({"strict", text, "2"}).error(), Code::conflict));
    const auto kept =
        rescoring.keep({"strict", text, "2"}, std::vector<store::NewScore>{{numbers[0], 9, ""}});
    ASSERT_FALSE(kept);
    EXPECT_TRUE(has_code(kept.error(), Code::conflict));
  }
  EXPECT_EQ(store_->archive().runs().find("a-run").value()->kept_scores.at(0).value, 1);
}

// They were scores of what the run had answered before.
TEST_P(StoreConformance, ARunThatIsResumedLosesItsKeptScores) {
  const auto run = scored("a-run");
  add(*store_, run, 1);
  const auto numbers = visited(*store_).numbers;
  ASSERT_TRUE(store_->rescoring().keep({"strict", "a", "1"},
                                       std::vector<store::NewScore>{{numbers[0], 1, ""}}));
  ASSERT_TRUE(store_->journal().write({run.id}, run, {"figures", "layout", {2}}));
  EXPECT_TRUE(store_->archive().runs().find("a-run").value()->kept_scores.empty());
}

}  // namespace vibe::test
