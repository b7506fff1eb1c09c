// Measures finished runs that were stored without figures.
#include "app/runs/measure_history.h"

#include <gtest/gtest.h>

#include "app/runs/history.h"
#include "app/world.h"
#include "score/figures.h"
#include "store/sql.h"

namespace vibe::app {
namespace {

// Two evals without a name, with equal prompts but for the cases; and one with a name.
constexpr const char* kUnnamedEvals =
    R"(metadata: {name: sums, model: openai/gpt-4o-mini, repeat: 2}
evals:
  - prompt: question 1
    checks: [{match: "*4*"}, {match: "*5*"}]
  - name: named
    prompt: question 2
    tags: [hard]
    checks: [{match: "*4*"}]
  - prompt: "{{ id }}"
    tags: [hard, odd]
    cases: [{id: lisbon}, {id: porto}]
    checks: [{match: "*4*"}]
)";

score::Samples figures_of(Machine& machine, const std::string& run) {
  const auto bytes = machine.local.runs().figures(run);
  EXPECT_TRUE(bytes);
  auto samples = score::decode_figures(bytes.value_or(""));
  EXPECT_TRUE(samples);
  return samples ? *std::move(samples) : score::Samples();
}

std::string in_words(const score::Samples& samples) {
  std::string out;
  const auto places = samples.places();
  for (std::uint32_t row = 0; row < samples.size(); ++row)
    out += std::to_string(samples.eval_of(row)) + "/" + std::to_string(places[row].row) + "/" +
           std::to_string(places[row].repeat) + " ";
  return out;
}

TEST(Figures, SayWhereEachSampleBelongs) {
  Machine machine;
  const auto done = machine.run(machine.write("suite.yaml", kUnnamedEvals));
  const auto samples = figures_of(machine, done.run.id);
  EXPECT_EQ(in_words(samples), "1/0/0 1/0/1 2/0/0 2/0/1 3/0/0 3/0/1 3/1/0 3/1/1 ");
  ASSERT_EQ(samples.evals().size(), 4u);
  EXPECT_EQ(samples.evals()[2].name, "named");
  EXPECT_EQ(samples.evals()[1].tags, std::vector<std::string>());
  EXPECT_EQ(samples.evals()[3].tags, (std::vector<std::string>{"hard", "odd"}));
  const auto& checks = samples.checks(1);
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].kind, "match");
  EXPECT_EQ(checks[0].passed, 2u);
  EXPECT_EQ(checks[0].failed, 2u);
}

TEST(Figures, SayWhereSamplesOfSelectedCasesBelong) {
  Machine machine;
  std::string text = kUnnamedEvals;
  text.replace(text.find("- prompt: \"{{"), 2, "- name: cities\n    ");
  auto request = request_for(machine.write("suite.yaml", text));
  request.plan.only = {"cities[porto]"};
  const auto done = machine.run(request);
  ASSERT_EQ(done.results.size(), 2u);
  EXPECT_EQ(in_words(figures_of(machine, done.run.id)), "3/1/0 3/1/1 ");
}

TEST(MeasureHistory, AnInterruptedRunHasFigures) {
  Machine machine;
  const auto path =
      machine.write("suite.yaml", std::string(kUnnamedEvals) +
                                      "score: {formula: 10 * half, metrics: {half: named / 2}}\n");
  auto prepared = machine.prepare(path);
  ASSERT_TRUE(prepared);
  SeenRuns seen;
  seen.is_handed_over = true;
  ASSERT_TRUE(start_suite(*prepared, *machine.local.store, machine.out));
  const std::string id = prepared->runs[0].run.id;
  // Some of its results, as if its process had been killed.
  const auto done = machine.run(path);
  const auto results = machine.local.runs().results(done.run.id);
  for (const auto& result : results.value()) {
    if (result.sample < 5) {
      ASSERT_TRUE(machine.local.store->journal().add({id}, result));
    }
  }
  prepared.reset();
  auto& journal = machine.local.store->journal();
  EXPECT_TRUE(journal.unmeasured(9)->empty());
  ASSERT_EQ(journal.mark_interrupted(), 1u);
  EXPECT_EQ(journal.unmeasured(9), std::vector{id});
  EXPECT_EQ(machine.local.runs().figures(id), "");
  std::filesystem::remove(path);
  EXPECT_EQ(measure_history(*machine.local.store, {}), 1u);
  EXPECT_TRUE(journal.unmeasured(9)->empty());
  EXPECT_EQ(in_words(figures_of(machine, id)), "1/0/0 1/0/1 2/0/0 2/0/1 3/0/0 ");
  const auto score = explain_run(machine.local.runs(), machine.stored(id));
  ASSERT_TRUE(score) << base::render(score.error());
  EXPECT_EQ(score->value, 5);
  EXPECT_EQ(measure_history(*machine.local.store, {}), 0u);
}

TEST(MeasureHistory, StopsWhenItIsTold) {
  Machine machine;
  const auto path = machine.write("suite.yaml", suite_of(1));
  for (int i = 0; i < 3; ++i) machine.run(path);
  test::execute(machine.folder.database(), "INSERT INTO unmeasured_runs SELECT number FROM runs");
  MeasureOptions options{.continue_after = [](std::size_t done) { return done < 2; }};
  EXPECT_EQ(measure_history(*machine.local.store, options), 2u);
  EXPECT_EQ(machine.local.store->journal().unmeasured(9)->size(), 1u);
}

TEST(MeasureHistory, ASuiteThatCannotBeReadLeavesTheOrderOfTheResults) {
  Machine machine;
  const auto done = machine.run(machine.write("suite.yaml", kUnnamedEvals));
  test::execute(machine.folder.database(),
                "UPDATE texts SET text = CAST('no: suite' AS BLOB); "
                "INSERT INTO unmeasured_runs SELECT number FROM runs");
  EXPECT_EQ(measure_history(*machine.local.store, {}), 1u);
  const auto samples = figures_of(machine, done.run.id);
  EXPECT_EQ(in_words(samples), "1/0/0 1/0/1 2/0/0 2/0/1 3/0/0 3/0/1 3/1/0 3/1/1 ");
  EXPECT_EQ(samples.evals()[2].tags, std::vector<std::string>{"hard"});  // from the old figures
}

}  // namespace
}  // namespace vibe::app
