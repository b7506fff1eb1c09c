// What is read back is what was written: runs, results, models.

#include <gtest/gtest.h>

#include "report/models.h"
#include "wire/models.h"
#include "wire/run.h"
#include "wire/written.h"

namespace vibe::wire {

namespace {

using base::JsonValue;

score::Turn turn(const std::string& prompt) {
  score::Turn out;
  out.prompt = prompt;
  out.response = "four \xE2\x80\xA8 \"4\"";
  out.thinking = "hm";
  out.stop_reason = "end_turn";
  out.tool_calls = {{"add", "{\"a\":2}", "4", true}, {"never", "{}", std::nullopt, false}};
  score::Finding any{"or", score::Verdict::error, "no judge", {}, {}};
  any.children = {{"match", score::Verdict::fail, "Pattern \"*5*\" not found in response", {}, {}}};
  any.children[0].judged = score::Judged{"judge", 3, 2, 10, std::nullopt, 0.25};
  out.checks = {{"match", score::Verdict::pass, "Pattern \"*4*\" found in response", {}, {}}, any};
  out.status = score::ResultStatus::failed;
  out.latency = 0.1;
  out.prompt_tokens = 7;
  out.cached_tokens = 0;
  out.input_cost = 1e-7;
  out.cost = 0.30000000000000004;
  out.tries = 3;
  return out;
}

score::Result full_result() {
  score::Result out;
  static_cast<score::Turn&>(out) = turn("2 + 2");
  out.sample = 41;
  out.eval = "sum";
  out.eval_name = "sum[2]";
  out.repeat = 1;
  out.judge_cost = std::nullopt;
  out.turns = {turn("2 + 2"), turn("sure?")};
  out.turn = 2;
  out.from_cache = true;
  out.paid = 0.25;
  out.retries = 2;
  out.output_quality = 0.5;
  out.fitness_error = "no log";
  return out;
}

score::Run full_run() {
  score::Run out;
  out.id = "01890000-0000-7000-8000-000000000000";
  out.suite_name = "sums";
  out.model = "exec:cat";
  out.source = "replay:a.jsonl";
  out.status = score::RunStatus::partial_failure;
  out.error = "1 of 2 samples had an error";
  out.created_at = 1'700'000'000'123;
  out.started_at = 1'700'000'000'200;
  out.suite_text = "metadata: {}\n";
  out.suite_hash = "a hash";
  out.tags = {"math"};
  out.system_prompt = "be short";
  out.version = "1.2.3";
  out.planned = 3;
  out.results = 2;
  out.passed = 1;
  out.errors = 1;
  out.duration = 0.1 + 0.2;
  out.total_cost = 1e-9;
  out.judge_cost = 0.5;
  out.prompt_tokens = 1'000'000'007;
  out.score = -0.1;
  out.score_formula = "speed";
  out.score_error = "a note";
  out.score_metrics = {{"speed", "1 / avg_latency", std::nullopt, "division by zero"},
                       {"a", "2", 2.0, ""}};
  out.metrics = {{"success_pct", "", 50.0, ""}, {"total_cost", "", std::nullopt, ""}};
  out.explanation = R"({"expr":"speed","value":-0.1,"children":[]})";
  out.min_score = 12.5;
  return out;
}

// Everything is in the JSON, so what is written again has to be the same; and what is not in it is
// named here.
TEST(ReadRun, IsWhatWasWritten) {
  const std::vector results{full_result(), score::Result(full_result())};
  const std::string text = written(full_run(), results);
  const auto json = parsed(text);
  const auto read = read_run(json);
  const auto read_back = read_results(json);
  ASSERT_TRUE(read && read_back);
  EXPECT_EQ(written(*read, *read_back), text);
  EXPECT_EQ(read->suite_text, full_run().suite_text);
  EXPECT_EQ(read->planned, 3u);
  EXPECT_EQ(read->errors, 1u);
  EXPECT_EQ(read->min_score, 12.5);
  EXPECT_EQ(read->source, "replay:a.jsonl");
  EXPECT_EQ(read->score_metrics[0].formula, "1 / avg_latency");
  EXPECT_EQ((*read_back)[0].sample, 41u);
  EXPECT_EQ((*read_back)[0].eval, "sum");
  EXPECT_EQ((*read_back)[0].judge_cost, std::nullopt);
  EXPECT_EQ((*read_back)[0].turns[1].thinking, "hm");
}

TEST(ReadRun, WhatClientsShowInsteadIsReadAsItWas) {
  score::Result result;
  result.eval_name = "eval 1";
  result.prompt = "What is\n2 + 2, and why would anybody want to know that at all, said she?";
  result.error = "no answer";
  const auto json = parsed(written(full_run(), std::vector{result}));
  const auto& first = *json.pointer("/results/0");
  EXPECT_EQ(first.text_of("eval_name"),
            "What is 2 + 2, and why would anybody want to know that at al…");
  EXPECT_EQ(first.text_of("error"), "no answer");
  EXPECT_EQ(first.pointer("/check_results/0/type")->text()[0], "error");
  EXPECT_EQ(first.pointer("/check_results/0/message")->text()[0], "no answer");
  EXPECT_EQ(first.pointer("/check_results/0/passed")->boolean(), false);
  const auto read = read_result(first);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->eval_name, "eval 1");
  EXPECT_TRUE(read->checks.empty());
}

TEST(ReadRun, OneThatHasHardlyBegun) {
  score::Run queued;
  queued.id = "0123";
  const auto read = read_run(parsed(written(queued, {})));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->duration, std::nullopt);
  EXPECT_EQ(read->score, std::nullopt);
  EXPECT_EQ(read->explanation, "");
  EXPECT_EQ(written(*read, {}), written(queued, {}));
}

TEST(ReadRun, WhatIsNoRunIsNone) {
  for (const auto* text : {"{}", "[]", "7", R"({"id": "a"})", R"({"id": "a", "status": "odd"})",
                           R"({"id": 7, "status": "queued"})"})
    EXPECT_FALSE(read_run(parsed(text))) << text;
  EXPECT_FALSE(read_result(parsed(R"({"status": "odd"})")));
  EXPECT_FALSE(read_results(parsed(R"({"results": [{}]})")));
  EXPECT_FALSE(read_run_page(parsed(R"({"runs": 3})")));
  EXPECT_FALSE(read_run_page(parsed("{}")));
}

TEST(ReadRun, APage) {
  store::RunPage page;
  page.runs = {full_run(), full_run()};
  page.total = 10'000;
  page.next = "cursor";
  const auto read = read_run_page(parsed(page_json(page)));
  ASSERT_TRUE(read);
  EXPECT_EQ(page_json(*read), page_json({page.runs, "cursor", 10'000}));
}

TEST(ReadModels, AreWhatWasWritten) {
  model::ModelList list;
  list.models = {{{.id = "openai/a",
                   .name = "A",
                   .price = {.input = 0.15, .output = 0.6, .cache_read = {}, .cache_write = {}},
                   .context = 128'000},
                  "openai",
                  "OPENAI_API_KEY",
                  true,
                  true,
                  "openai/b",
                  {"temperature", "tools"}}};
  list.forms = {{"exec:COMMAND", "a program", "", false}};
  list.date = "2026-10-01";
  list.origin = "somewhere";
  const auto read = read_models(parsed(models_json(list)));
  ASSERT_TRUE(read);
  EXPECT_EQ(models_json(*read), models_json(list));
  EXPECT_EQ(report::model_table(*read, {}), report::model_table(list, {}));
  EXPECT_FALSE(read_models(parsed("{}")));
}

}  // namespace

}  // namespace vibe::wire
