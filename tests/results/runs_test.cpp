// Runs that this program wrote, read back as results.
#include <cmath>

#include <gtest/gtest.h>

#include "results/results.h"
#include "wire/run.h"

namespace vibe::results {

namespace {

struct ReadRuns {
  score::Samples samples;
  base::Diagnostics diagnostics;
  std::string messages() const {
    std::string out;
    for (const auto& one : diagnostics.all())
      out += (out.empty() ? "" : "\n") + std::to_string(one.source->position(0).line) + ": " +
             one.message;
    return out;
  }
};

ReadRuns read_runs(std::string bytes, const Choice& choice = {}) {
  ReadRuns out;
  read(base::Input::of("results", std::move(bytes)), choice, out.samples, out.diagnostics);
  return out;
}

// One that has every figure, a case, one without a name that was never answered.
std::vector<score::Result> results() {
  std::vector<score::Result> out(3);
  out[0].eval = out[0].eval_name = "math";
  out[0].prompt = "What is \"2+2\"?\nThink, please.";
  out[0].response = "=4";
  out[0].status = score::ResultStatus::passed;
  out[0].latency = 1.25;
  out[0].cost = 0.1 + 0.2;  // to the last bit
  out[0].prompt_tokens = 10;
  out[0].completion_tokens = 5;
  out[0].output_quality = 0.5;
  out[0].structure_score = 0.25;
  out[0].fitness = 75;
  out[1].eval = "capitals";
  out[1].eval_name = "capitals[Oslo, Norway]";
  out[1].status = score::ResultStatus::failed;
  out[1].latency = 0.5;
  out[2].eval_name = "eval 3[2]";
  out[2].status = score::ResultStatus::error;
  out[2].error = "the service\nwas busy";
  out[2].cost = 0;
  return out;
}

score::Run run(std::string model) {
  score::Run out;
  out.id = "0192";
  out.suite_name = "demo";
  out.model = std::move(model);
  out.status = score::RunStatus::completed;
  out.suite_text = "evals:\n  - {name: math, tags: [hard, \"1\"]}\n  - {name: none, tags: [x]}\n";
  return out;
}

std::string json(const std::vector<score::Run>& runs) {
  base::JsonWriter out(base::JsonWriter::Layout::indented);
  const auto all = results();
  if (runs.size() > 1) out.begin_array();
  for (const auto& one : runs) wire::write_run(out, one, all);
  if (runs.size() > 1) out.end_array();
  return out.text() + "\n";
}

void expect_results(const ReadRuns& seen) {
  EXPECT_EQ(seen.messages(), "");
  const auto all = results();
  ASSERT_EQ(seen.samples.size(), all.size());
  for (std::uint32_t row = 0; row < all.size(); ++row) {
    const auto sample = seen.samples.sample(row);
    EXPECT_EQ(seen.samples.evals()[seen.samples.eval_of(row)].name, all[row].eval);
    EXPECT_EQ(sample.passed, all[row].passed());
    const auto same = [](double value, const auto& known) {
      return known ? value == static_cast<double>(*known) : std::isnan(value);
    };
    EXPECT_TRUE(same(sample.latency, all[row].latency));
    EXPECT_TRUE(same(sample.cost, all[row].cost));
    EXPECT_TRUE(same(sample.prompt_tokens, all[row].prompt_tokens));
    EXPECT_TRUE(same(sample.completion_tokens, all[row].completion_tokens));
    EXPECT_TRUE(same(sample.output_quality, all[row].output_quality));
    EXPECT_TRUE(same(sample.structure_score, all[row].structure_score));
    EXPECT_TRUE(same(sample.fitness, all[row].fitness));
  }
  EXPECT_EQ(seen.samples.errors(), 1u);
  EXPECT_EQ(seen.samples.first_error(), "the service was busy");
}

TEST(RunResults, AreThoseOfTheRun) {
  const ReadRuns seen = read_runs(json({run("exec:cat")}));
  expect_results(seen);
  EXPECT_EQ(seen.samples.evals()[1].tags, (std::vector<std::string>{"hard", "1"}));
  EXPECT_EQ(seen.samples.evals().size(), 3u);  // none of those without results
}

TEST(RunResults, OfSeveralModelsAreChosenFrom) {
  const auto both = json({run("a/b"), run("c/d")});
  EXPECT_EQ(read_runs(both).messages(), "1: the results come from 2 models: `a/b`, `c/d`");
  expect_results(read_runs(both, {.provider = "c/*", .prompt = {}, .scorer = {}, .pass_at = {}}));
  EXPECT_EQ(read_runs(json({run("a/b"), run("a/b")})).samples.size(), 6u);
}

TEST(RunResults, OfARunThatDidNotEndAreWarnedOf) {
  auto one = run("exec:cat");
  one.status = score::RunStatus::cancelled;
  const ReadRuns seen = read_runs(json({one}));
  EXPECT_EQ(seen.messages(), "1: the run has status `cancelled`");
  EXPECT_EQ(seen.samples.size(), 3u);
}

TEST(RunResults, WithoutAnyAreNone) {
  base::JsonWriter out;
  wire::write_run(out, run("exec:cat"), {});
  EXPECT_EQ(read_runs(out.text()).messages(), "1: the file has no results");
}

TEST(RunResults, ThatAreWrongAreErrors) {
  EXPECT_EQ(
      read_runs(R"({"suite_name": "", "results_count": "1", "evals_passed": "0",
 "results": [{"eval": "a", "passed": true, "cost": -1},
             {"eval": "a"},
             7]})")
          .messages(),
      "2: `cost` of a result is -1\n3: a result has no `passed`\n4: a result is not an object");
}

TEST(RunTable, IsThatOfTheRun) {
  const auto table = wire::results_csv(results());
  expect_results(read_runs(table));
  expect_results(read_runs("\xEF\xBB\xBF" + table));
  EXPECT_EQ(read_runs("status,eval_name,more\npassed,a,x\n\nfailed,'-b[2],\"x\n,\"\"y\"\n")
                .samples.evals()[2]
                .name,
            "-b");
}

TEST(RunTable, ThatIsWrongIsAnErrorALine) {
  EXPECT_EQ(
      read_runs("eval_name,status,cost\na,passed,1\nb,\"maybe\nso\",1\na,failed,-1\na,passed\n"
                "a,passed,\"1\n")
          .messages(),
      "3: `status` is `maybe so`, not `passed`, `failed` or `error`\n"
      "5: `cost` cannot be `-1`\n"
      "6: the row has 2 cells, not 3\n"
      "7: a quote in the row that begins here is not closed");
  EXPECT_EQ(read_runs("eval_name,status\n").messages(), "1: the file has no results");
}

TEST(RunTable, OfSomethingElseIsOneError) {
  EXPECT_EQ(read_runs("id,question,answer\n1,a,b\n2,c,d\n3,e,f\n").messages(),
            "1: this is neither JSON nor a table written by `vibe get run --csv`");
  EXPECT_EQ(read_runs("\n\nsome text\nmore text\n").diagnostics.errors(), 1u);
}

}  // namespace

}  // namespace vibe::results
