#include "store/conformance.h"

#include <algorithm>

#include "base/crypto.h"
#include "base/diagnostic.h"

namespace vibe::test {

using base::Code;
using score::RunStatus;

namespace {

score::Certainty some_certainty() {
  score::Certainty out;
  out.level = 0.9;
  out.seed = 7;
  out.draws = 2'000;
  out.method = "sbb-1";
  out.score = {{}, score::Interval{600, 900}, {}, {}, "one answer", {"rough"}};
  out.metrics = {{"speed", {}, score::Interval{0.05, 0.2}, "too few evals", {}, {}}};
  return out;
}

}  // namespace

score::Run full_run(const std::string& id) {
  score::Run run;
  run.id = id;
  run.suite_name = "capitals";
  run.model = "openai/gpt-4o";
  run.source = "replay:answers.jsonl";
  run.status = RunStatus::running;
  run.error = "an error";
  run.created_at = 1'000;
  run.started_at = 2'000;
  run.completed_at = 3'000;
  run.suite_path = "suites/capitals.yaml";
  run.suite_text = "metadata:\n  name: capitals\n";
  run.suite_hash = "abcdef";
  run.tags = {"math", "a \"hard\" one"};
  run.system_prompt = "be terse";
  run.parameters = R"({"temperature":0.2})";
  run.version = "1.2.3";
  run.planned = 10;
  run.results = 8;
  run.passed = 6;
  run.errors = 1;
  run.duration = 12.5;
  run.total_cost = 0.1;
  run.input_cost = 0.03;
  run.output_cost = 0.07;
  run.judge_cost = 0.001;
  run.prompt_tokens = 100;
  run.completion_tokens = 200;
  run.thinking_tokens = 300;
  run.score_formula = "success_pct / total_cost";
  run.score = 750;
  run.score_error = "why not";
  run.score_metrics = {{"speed", "1 / avg_latency", 0.1, ""},
                       {"thrift", "1 / total_cost", std::nullopt, "division by zero"}};
  run.metrics = {{"total_cost", "", 0.1, ""}, {"success_pct", "", 75, ""}};
  run.explanation = R"({"expr":"x"})";
  run.min_score = 0.5;
  run.certainty = some_certainty();
  return run;
}

score::Run running(const std::string& id) {
  auto run = full_run(id);
  run.status = RunStatus::running;
  return run;
}

score::Result full_result(std::uint32_t sample) {
  score::Result result;
  result.sample = sample;
  result.eval = "capitals";
  result.eval_name = "capitals[2]";
  result.repeat = 3;
  result.prompt = "What is the capital of France?";
  result.response = "Paris";
  result.thinking = "hm";
  result.stop_reason = "stop";
  result.tool_calls = {{"search", R"({"q":"France"})"}};
  result.checks = {{"match", score::Verdict::pass, "Pattern \"*Paris*\" found in response", {}},
                   {"or",
                    score::Verdict::fail,
                    "none of 2",
                    {{"equals", score::Verdict::fail, "is not", {}},
                     {"llm_judge", score::Verdict::error, "unreachable", {}}}}};
  result.status = score::ResultStatus::failed;
  result.error = "no error";
  result.latency = 1.25;
  result.prompt_tokens = 10;
  result.completion_tokens = 1;
  result.thinking_tokens = 2;
  result.cached_tokens = 3;
  result.input_cost = 0.001;
  result.output_cost = 0.002;
  result.cost = 0.003;
  result.tries = 2;
  result.turn = 4;
  result.from_cache = true;
  result.paid = 0.5;
  result.retries = 2;
  result.output_quality = 0.75;
  result.structure_score = 0.4;
  result.fitness = 78.33;
  result.fitness_error = "no log";
  return result;
}

score::Run run_with(const std::string& id, store::Millis created, RunStatus status) {
  score::Run run;
  run.id = id;
  run.suite_name = "suite";
  run.model = "model";
  run.created_at = created;
  run.status = status;
  return run;
}

namespace {

std::string shown(const std::vector<score::NamedValue>& values) {
  std::string out;
  for (const auto& value : values) {
    out += value.name + ": " + value.formula + "=" +
           (value.value ? std::to_string(*value.value) : "none");
    out += " " + value.error + "; ";
  }
  return out;
}

std::string in_words(const score::FormulaCertainty& formula) {
  std::string out = formula.name + ": ";
  for (const auto& interval : {formula.other_evals, formula.rerun})
    out += interval ? std::to_string(interval->low) + " to " + std::to_string(interval->high) + "; "
                    : "none; ";
  out += formula.no_other_evals + "; " + formula.no_rerun + "; ";
  for (const auto& note : formula.notes) out += note + "; ";
  return out;
}

std::string in_words(const std::optional<score::Certainty>& certainty) {
  if (!certainty) return "none";
  std::string out = std::to_string(certainty->level) + " " + std::to_string(certainty->seed) + " " +
                    std::to_string(certainty->draws) + " " + certainty->method + "; " +
                    in_words(certainty->score);
  for (const auto& metric : certainty->metrics) out += in_words(metric);
  return out;
}

std::string shown(const std::vector<score::Finding>& findings) {
  std::string out;
  for (const auto& finding : findings)
    out += finding.type + " " + std::to_string(static_cast<int>(finding.verdict)) + " " +
           finding.message + " (" + shown(finding.children) + "); ";
  return out;
}

std::string shown(const std::vector<score::ToolCall>& calls) {
  std::string out;
  for (const auto& call : calls) out += call.name + " " + call.arguments + "; ";
  return out;
}

}  // namespace

void expect_same(const std::optional<score::Certainty>& a,
                 const std::optional<score::Certainty>& b) {
  EXPECT_EQ(in_words(a), in_words(b));
}

void expect_same(const score::Run& a, const score::Run& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.suite_name, b.suite_name);
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.created_at, b.created_at);
  EXPECT_EQ(a.started_at, b.started_at);
  EXPECT_EQ(a.completed_at, b.completed_at);
  EXPECT_EQ(a.suite_path, b.suite_path);
  EXPECT_EQ(a.suite_text, b.suite_text);
  EXPECT_EQ(a.suite_hash, b.suite_hash);
  EXPECT_EQ(a.tags, b.tags);
  EXPECT_EQ(a.system_prompt, b.system_prompt);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.planned, b.planned);
  EXPECT_EQ(a.results, b.results);
  EXPECT_EQ(a.passed, b.passed);
  EXPECT_EQ(a.errors, b.errors);
  EXPECT_EQ(a.duration, b.duration);
  EXPECT_EQ(a.total_cost, b.total_cost);
  EXPECT_EQ(a.input_cost, b.input_cost);
  EXPECT_EQ(a.output_cost, b.output_cost);
  EXPECT_EQ(a.judge_cost, b.judge_cost);
  EXPECT_EQ(a.prompt_tokens, b.prompt_tokens);
  EXPECT_EQ(a.completion_tokens, b.completion_tokens);
  EXPECT_EQ(a.thinking_tokens, b.thinking_tokens);
  EXPECT_EQ(a.score_formula, b.score_formula);
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.score_error, b.score_error);
  EXPECT_EQ(shown(a.score_metrics), shown(b.score_metrics));
  EXPECT_EQ(shown(a.metrics), shown(b.metrics));
  EXPECT_EQ(a.explanation, b.explanation);
  EXPECT_EQ(a.min_score, b.min_score);
  expect_same(a.certainty, b.certainty);
  EXPECT_EQ(shown(a.kept_scores), shown(b.kept_scores));
}

void expect_same(const score::Result& a, const score::Result& b) {
  EXPECT_EQ(a.sample, b.sample);
  EXPECT_EQ(a.eval, b.eval);
  EXPECT_EQ(a.eval_name, b.eval_name);
  EXPECT_EQ(a.repeat, b.repeat);
  EXPECT_EQ(a.prompt, b.prompt);
  EXPECT_EQ(a.response, b.response);
  EXPECT_EQ(a.thinking, b.thinking);
  EXPECT_EQ(a.stop_reason, b.stop_reason);
  EXPECT_EQ(shown(a.tool_calls), shown(b.tool_calls));
  EXPECT_EQ(shown(a.checks), shown(b.checks));
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.latency, b.latency);
  EXPECT_EQ(a.prompt_tokens, b.prompt_tokens);
  EXPECT_EQ(a.completion_tokens, b.completion_tokens);
  EXPECT_EQ(a.thinking_tokens, b.thinking_tokens);
  EXPECT_EQ(a.cached_tokens, b.cached_tokens);
  EXPECT_EQ(a.input_cost, b.input_cost);
  EXPECT_EQ(a.output_cost, b.output_cost);
  EXPECT_EQ(a.cost, b.cost);
  EXPECT_EQ(a.tries, b.tries);
  EXPECT_EQ(a.turn, b.turn);
  EXPECT_EQ(a.from_cache, b.from_cache);
  EXPECT_EQ(a.paid, b.paid);
  EXPECT_EQ(a.retries, b.retries);
  EXPECT_EQ(a.output_quality, b.output_quality);
  EXPECT_EQ(a.structure_score, b.structure_score);
  EXPECT_EQ(a.fitness, b.fitness);
  EXPECT_EQ(a.fitness_error, b.fitness_error);
}

std::string text_of(const base::Diagnostics& diagnostics) { return base::render(diagnostics); }

bool has_code(const base::Diagnostics& diagnostics, Code code) {
  return std::any_of(diagnostics.all().begin(), diagnostics.all().end(),
                     [&](const auto& each) { return each.code == code; });
}

std::unique_ptr<store::Directory> BackendConformance::directory() {
  auto opened = backend().directory();
  if (opened) return std::move(*opened);
  ADD_FAILURE() << text_of(opened.error());
  std::abort();
}

void StoreConformance::SetUp() {
  BackendConformance::SetUp();
  const auto added = directory()->organisations().add(organisation_with("first"));
  ASSERT_TRUE(added) << text_of(added.error());
  organisation_ = added->id;
  store_ = open();
}

std::unique_ptr<store::Store> StoreConformance::open() {
  auto opened = backend().store(organisation_);
  if (opened) return std::move(*opened);
  ADD_FAILURE() << text_of(opened.error());
  std::abort();
}

store::Organisation organisation_with(const std::string& slug) {
  store::Organisation out;
  out.id = base::uuid7(1'800'000'000'000);
  out.slug = slug;
  out.name = "The " + slug;
  out.created_at = 1'800'000'000'000;
  return out;
}

}  // namespace vibe::test
