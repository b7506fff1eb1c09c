// Runs, lists and models as programs read them.

#include "wire/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_value.h"
#include "report/models.h"
#include "wire/models.h"
#include "wire/written.h"

namespace vibe::wire {

namespace {

using base::JsonValue;
using testing::HasSubstr;

score::Run weighted_run() {
  score::Run out;
  out.id = "0123";
  out.suite_name = "weighted";
  out.model = "exec:cat";
  out.status = score::RunStatus::completed;
  out.results = 4;
  out.passed = 3;
  out.total_cost = 0.0177;
  out.prompt_tokens = 10;
  out.score = 45.5;
  out.score_formula = "success_pct";
  out.metrics = {{"success_pct", "", 75.0, ""}, {"total_cost", "", std::nullopt, ""}};
  out.score_metrics = {{"speed", "1 / avg_latency", std::nullopt, "division by zero"}};
  out.suite_text = "metadata: {}\n";
  out.explanation = R"({"expr":"success_pct","value":75})";
  return out;
}

JsonValue run_json(const score::Run& run, std::span<const score::Result> results) {
  return parsed(written(run, results));
}

TEST(RunJson, TotalsAreTexts) {
  const auto json = run_json(weighted_run(), {});
  EXPECT_EQ(json.text_of("results_count"), "4");
  EXPECT_EQ(json.text_of("evals_passed"), "3");
  EXPECT_EQ(json.text_of("success_percentage"), "75");
  EXPECT_EQ(json.text_of("total_cost"), "0.0177");
  EXPECT_EQ(json.text_of("total_prompt_tokens"), "10");
  EXPECT_EQ(json.text_of("created_at"), "1970-01-01T00:00:00.000Z");
}

TEST(RunJson, WhatIsUnknownIsNull) {
  const auto json = run_json(weighted_run(), {});
  for (const auto* key : {"completed_at", "duration_seconds", "total_thinking_tokens",
                          "score_error", "judge_cost", "error"}) {
    ASSERT_NE(json.find(key), nullptr) << key;
    EXPECT_TRUE(json.find(key)->is_null()) << key;
  }
  EXPECT_TRUE(json.pointer("/metrics/total_cost")->is_null());
  EXPECT_TRUE(json.pointer("/score_metrics/speed")->is_null());
  EXPECT_EQ(json.find("score_metric_errors")->text_of("speed"), "division by zero");
}

TEST(RunJson, RepeatsCountFromOneAsInCsv) {
  score::Result result;
  result.eval_name = "sum";
  result.repeat = 1;
  EXPECT_EQ(run_json(weighted_run(), std::vector{result}).pointer("/results/0/repeat")->integer(),
            2);
  EXPECT_THAT(results_csv(std::vector{result}), HasSubstr("\nsum,2,"));
}

TEST(RunJson, SaysWhatCameFromTheCache) {
  std::vector<score::Result> results(2);
  results[1].from_cache = true;
  const auto json = run_json(weighted_run(), results);
  EXPECT_EQ(json.pointer("/results/0/cached"), nullptr);
  ASSERT_NE(json.pointer("/results/1/cached"), nullptr);
  EXPECT_EQ(base::to_text(*json.pointer("/results/1/cached")), "true");
}

TEST(RunJson, FitnessIsThereWhereItIsKnown) {
  std::vector<score::Result> results(2);
  results[0].fitness_error = "the execution log: the file is empty";
  results[1].output_quality = 0.75;
  results[1].structure_score = 0.4;
  results[1].fitness = 78.33;
  const auto json = run_json(weighted_run(), results);
  EXPECT_EQ(json.pointer("/results/0/fitness"), nullptr);
  EXPECT_EQ(json.pointer("/results/0/output_quality"), nullptr);
  EXPECT_EQ(json.pointer("/results/0/fitness_error")->text()[0], results[0].fitness_error);
  EXPECT_EQ(json.pointer("/results/1/output_quality")->number(), 0.75);
  EXPECT_EQ(json.pointer("/results/1/structure_score")->number(), 0.4);
  EXPECT_EQ(json.pointer("/results/1/fitness")->number(), 78.33);
  EXPECT_EQ(json.pointer("/results/1/fitness_error"), nullptr);
  const std::string csv = results_csv(results);
  EXPECT_NE(csv.find("error,output_quality,structure_score,fitness\r\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",0.75,0.4,78.33\r\n"), std::string::npos) << csv;
}

TEST(RunJson, ScoresAreNumbers) {
  const auto json = run_json(weighted_run(), {});
  EXPECT_EQ(json.number_of("score"), 45.5);
  EXPECT_EQ(json.pointer("/metrics/success_pct")->number(), 75);
  EXPECT_EQ(json.pointer("/explanation/value")->number(), 75);
  EXPECT_EQ(json.text_of("yaml_content"), "metadata: {}\n");
}

TEST(RunJson, ResultsHaveTheirChecks) {
  score::Result result;
  result.eval_name = "sum";
  result.status = score::ResultStatus::failed;
  result.checks = {{"or",
                    score::Verdict::fail,
                    "none passed",
                    {{"match", score::Verdict::error, "could not tell", {}}}}};
  const auto json = run_json(weighted_run(), std::vector{result});
  const auto* first = json.pointer("/results/0");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->find("passed")->boolean(), false);
  EXPECT_EQ(first->text_of("status"), "failed");
  EXPECT_TRUE(first->find("latency_seconds")->is_null());
  EXPECT_EQ(first->text_of("response"), "");
  EXPECT_EQ(first->pointer("/check_results/0/type")->text()[0], "or");
  EXPECT_EQ(first->pointer("/check_results/0/children/0/status")->text()[0], "error");
}

TEST(PageJson, SaysHowToGoOn) {
  const auto first = parsed(page_json({{weighted_run()}, "cursor", 70}));
  EXPECT_EQ(first.pointer("/runs/0/id")->text()[0], "0123");
  EXPECT_EQ(first.pointer("/runs/0/results"), nullptr);
  EXPECT_EQ(first.pointer("/pagination/total")->integer(), 70);
  EXPECT_EQ(first.pointer("/pagination/hasMore")->boolean(), true);
  EXPECT_EQ(first.pointer("/pagination/next")->text()[0], "cursor");
  const auto last = parsed(page_json({{}, "", 70}));
  EXPECT_EQ(last.pointer("/pagination/hasMore")->boolean(), false);
  EXPECT_EQ(last.pointer("/pagination/next"), nullptr);
}

TEST(Csv, HasARowForEachRun) {
  const auto text = runs_csv(std::vector{weighted_run()});
  EXPECT_THAT(text, HasSubstr("id,suite_name,model,status,"));
  EXPECT_THAT(text, HasSubstr("\r\n0123,weighted,exec:cat,completed,1970-01-01T00:00:00.000Z,,"
                              "45.5,75,0.0177,,4,3,10,,\r\n"));
}

TEST(Csv, KeepsResponsesFromBeingFormulas) {
  score::Result result;
  result.eval_name = "sum";
  result.response = "=HYPERLINK(\"x\")";
  EXPECT_THAT(results_csv(std::vector{result}), HasSubstr("\"'=HYPERLINK(\"\"x\"\")\""));
}

model::ModelList models() {
  model::ModelList list;
  list.models.push_back({{"openai/gpt-4o-mini", "GPT-4o mini", {0.15, 0.6, {}, {}}, 128000},
                         "openai",
                         "OPENAI_API_KEY",
                         true,
                         true,
                         "",
                         {"temperature", "tools"}});
  list.models.push_back({{"x/free", "Free", {0, 0.0005, {}, {}}, 0}, "", "", false});
  list.forms.push_back({"ollama/NAME", "a local model", "", false});
  list.date = "2026-09-23";
  list.origin = "somewhere";
  return list;
}

TEST(Models, PricesForATokenAreDecimalTexts) {
  const auto json = parsed(models_json(models()));
  EXPECT_EQ(json.pointer("/models/0/id")->text()[0], "openai/gpt-4o-mini");
  EXPECT_EQ(json.pointer("/models/0/pricing/prompt")->text()[0], "0.00000015");
  EXPECT_EQ(json.pointer("/models/0/pricing/completion")->text()[0], "0.0000006");
  EXPECT_EQ(json.pointer("/models/1/pricing/prompt")->text()[0], "0");
  EXPECT_EQ(base::to_text(*json.pointer("/models/0/supported_parameters")),
            R"(["temperature","tools"])");
  EXPECT_EQ(json.pointer("/models/0/runnable")->boolean(), true);
  EXPECT_EQ(base::to_text(*json.pointer("/models/1/supported_parameters")), "[]");
  EXPECT_EQ(json.pointer("/models/1/runnable")->boolean(), false);
}

TEST(Models, TheTableSaysWhichKeyIsNeeded) {
  const auto text = report::model_table(models(), {});
  EXPECT_THAT(text,
              HasSubstr("openai/gpt-4o-mini    $0.15     $0.60     128k  OPENAI_API_KEY (set)"));
  EXPECT_THAT(text, HasSubstr("x/free                $0.00   $0.0005      N/A  N/A"));
  EXPECT_THAT(text, HasSubstr("ollama/NAME  a local model  none needed"));
  EXPECT_TRUE(text.ends_with(
      "\nPrices in US dollars per million tokens, as of 2026-09-23, from somewhere\n"))
      << text;
}

}  // namespace

}  // namespace vibe::wire
