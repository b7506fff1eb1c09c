// How sure scores are: computed at the end of a run, and later for runs that lack it.
#include "app/runs/certainty.h"

#include <gtest/gtest.h>

#include "app/world.h"
#include "store/sql.h"
#include "suite/suite.h"

namespace vibe::app {
namespace {

constexpr std::string_view kRepeated = "  repeat: 3\n";

score::Run run_of(Machine& machine, const std::string& more = {}) {
  return machine.run(machine.write("suite.yaml", suite_of(6, kRepeated) + more)).run;
}

std::string in_words(const std::optional<score::Interval>& interval) {
  return interval ? std::to_string(interval->low) + " to " + std::to_string(interval->high)
                  : "none";
}

TEST(Certainty, IsStoredWithTheRun) {
  Machine machine;
  const auto run =
      run_of(machine, "score: {formula: success_pct, metrics: {thrift: 1 / total_cost}}\n");
  ASSERT_TRUE(run.certainty);
  EXPECT_EQ(run.certainty->method, "sbb-1");
  EXPECT_EQ(run.certainty->draws, 10'000);
  EXPECT_TRUE(run.certainty->score.rerun);
  ASSERT_EQ(run.certainty->metrics.size(), 1u);
  EXPECT_EQ(run.certainty->metrics[0].name, "thrift");
  const auto stored = machine.stored(run.id).certainty;
  ASSERT_TRUE(stored);
  EXPECT_EQ(in_words(stored->score.other_evals), in_words(run.certainty->score.other_evals));
}

TEST(Certainty, IsAddedToRunsThatLackIt) {
  Machine machine;
  const auto run = run_of(machine);
  test::execute(machine.folder.database(), "UPDATE runs SET certainty = ''");
  std::vector runs{machine.stored(run.id)};
  ASSERT_FALSE(runs[0].certainty);
  add_certainty(runs, machine.local.runs(), machine.local.store->journal());
  ASSERT_TRUE(runs[0].certainty);
  EXPECT_EQ(in_words(runs[0].certainty->score.other_evals),
            in_words(run.certainty->score.other_evals));
  EXPECT_TRUE(machine.stored(run.id).certainty);
}

// A store that cannot be written, such as a backup, is shown with intervals all the same.
TEST(Certainty, IsShownWithoutBeingStored) {
  Machine machine;
  const auto run = run_of(machine);
  test::execute(machine.folder.database(), "UPDATE runs SET certainty = ''");
  std::vector runs{machine.stored(run.id)};
  test::execute(machine.folder.database(),
                "CREATE TRIGGER full BEFORE UPDATE ON runs BEGIN SELECT raise(ABORT, 'full'); END");
  add_certainty(runs, machine.local.runs(), machine.local.store->journal());
  EXPECT_TRUE(runs[0].certainty);
}

TEST(Certainty, ARunWithoutAnswersHasNone) {
  score::Samples none;
  base::Diagnostics out;
  const auto program =
      formula::compile({}, {}, base::whole(base::make_source("f", "success_pct")), out);
  ASSERT_TRUE(program);
  EXPECT_FALSE(certainty_of(*program, none, score::compute(*program, none), {}));
}

// Older figures merge evals without a name, as if they were answers to one question.
TEST(Certainty, OfOldFiguresComesFromTheResults) {
  Machine machine;
  std::string text = "metadata: {name: sums, model: openai/gpt-4o-mini}\nevals:\n";
  for (int i = 0; i < 6; ++i)
    text += "  - {prompt: question " + std::to_string(i) + ", checks: [{match: '*4*'}]}\n";
  const auto run = machine.run(machine.write("suite.yaml", text)).run;
  ASSERT_TRUE(run.certainty && run.certainty->score.other_evals);
  test::execute(machine.folder.database(),
                "UPDATE runs SET certainty = ''; DELETE FROM run_figures");
  std::vector runs{machine.stored(run.id)};
  add_certainty(runs, machine.local.runs(), machine.local.store->journal());
  ASSERT_TRUE(runs[0].certainty);
  EXPECT_EQ(in_words(runs[0].certainty->score.other_evals),
            in_words(run.certainty->score.other_evals));
}

TEST(Certainty, TheSuiteChoosesTheUnit) {
  suite::Score score;
  EXPECT_EQ(settings_of(score).unit, std::nullopt);
  score.is_by_case = true;
  EXPECT_EQ(settings_of(score).unit, statistics::UnitKind::cases);
  score.is_by_case = false;
  EXPECT_EQ(settings_of(score).unit, statistics::UnitKind::eval);
}

}  // namespace
}  // namespace vibe::app
