#include "report/run_json.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "formula/names.h"
#include "report/table.h"

namespace vibe::report {

using base::JsonWriter;

namespace {

template <class Number>
std::optional<Number> sum(const std::optional<Number>& a, const std::optional<Number>& b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

void write_fields(JsonWriter& json, const score::Run& run) {
  json.key("id").string(run.id);
  json.key("suite_name").string(run.suite_name);
  json.key("model").string(run.model);
  json.key("source").known(run.source);
  json.key("status").string(to_string(run.status));
  json.key("error").known(run.error);
  write_time(json, "created_at", run.created_at);
  write_time(json, "started_at", run.started_at);
  write_time(json, "completed_at", run.completed_at);
  json.key("system_prompt").string(run.system_prompt);
  json.key("version").string(run.version);
  json.key("planned").integer(run.planned);
  json.key("results_count").known(std::to_string(run.results));
  json.key("evals_passed").known(std::to_string(run.passed));
  json.key("errors").integer(run.errors);
  json.key("success_percentage").known(csv_number(run.success_percentage()));
  json.key("duration_seconds").known(csv_number(run.duration));
  json.key("total_cost").known(csv_number(run.total_cost));
  json.key("total_input_cost").known(csv_number(run.input_cost));
  json.key("total_output_cost").known(csv_number(run.output_cost));
  json.key("total_prompt_tokens").known(csv_number(run.prompt_tokens));
  json.key("total_completion_tokens").known(csv_number(run.completion_tokens));
  json.key("total_thinking_tokens").known(csv_number(run.thinking_tokens));
  json.key("total_tokens").known(csv_number(sum(run.prompt_tokens, run.completion_tokens)));
  json.key("score").known(run.score);
  json.key("score_formula").string(run.score_formula);
  json.key("score_error").known(run.score_error);
  json.key("score_metrics").begin_object();
  for (const auto& metric : run.score_metrics) json.key(metric.name).known(metric.value);
  json.end_object().key("score_metric_formulas").begin_object();
  for (const auto& metric : run.score_metrics) json.key(metric.name).string(metric.formula);
  json.end_object().key("score_metric_errors").begin_object();
  for (const auto& metric : run.score_metrics)
    if (!metric.error.empty()) json.key(metric.name).string(metric.error);
  json.end_object().key("metrics").begin_object();
  for (const auto& metric : run.metrics) json.key(metric.name).known(metric.value);
  if (run.metrics.empty())  // it is not finished
    for (const auto& metric : formula::kRunMetrics) json.key(metric.name).null();
  json.end_object();
  json.key("judge_cost").known(run.judge_cost);
  json.key("min_score").known(run.min_score);
}

void write_finding(JsonWriter& json, const check::Finding& finding) {
  json.begin_object();
  json.key("type").string(finding.type);
  json.key("passed").boolean(finding.verdict == check::Verdict::pass);
  json.key("status").string(to_string(finding.verdict));
  json.key("message").string(finding.message);
  if (!finding.children.empty()) {
    json.key("children").begin_array();
    for (const auto& child : finding.children) write_finding(json, child);
    json.end_array();
  }
  if (const auto& judged = finding.judged) {
    json.key("judge").begin_object().key("model").string(judged->model);
    json.key("asked").integer(judged->asked).key("agreed").integer(judged->agreed);
    json.key("prompt_tokens").known(judged->prompt_tokens);
    json.key("completion_tokens").known(judged->completion_tokens);
    json.key("cost").known(judged->cost);
    json.end_object();
  }
  json.end_object();
}

void write_turn(JsonWriter& json, const score::Turn& turn) {
  json.key("prompt").string(turn.prompt);
  json.key("response").string(turn.response);
  if (!turn.thinking.empty()) json.key("thinking").string(turn.thinking);
  json.key("passed").boolean(turn.status == score::ResultStatus::passed);
  json.key("status").string(to_string(turn.status));
  json.key("error").known(turn.error);
  json.key("latency_seconds").known(turn.latency);
  json.key("prompt_tokens").known(turn.prompt_tokens);
  json.key("completion_tokens").known(turn.completion_tokens);
  json.key("thinking_tokens").known(turn.thinking_tokens);
  json.key("cached_tokens").known(turn.cached_tokens);
  json.key("total_tokens").known(sum(turn.prompt_tokens, turn.completion_tokens));
  json.key("input_cost").known(turn.input_cost);
  json.key("output_cost").known(turn.output_cost);
  json.key("cost").known(turn.cost);
  json.key("stop_reason").known(turn.stop_reason);
  json.key("tries").integer(turn.tries);
  json.key("check_results").begin_array();
  for (const auto& finding : turn.checks) write_finding(json, finding);
  // Clients that show checks alone look here for why there is no answer.
  if (turn.checks.empty() && !turn.error.empty())
    write_finding(json, {.type = std::string(kErrorType),
                         .verdict = check::Verdict::error,
                         .message = turn.error,
                         .children = {}});
  json.end_array();
  if (turn.tool_calls.empty()) return;
  json.key("tool_calls").begin_array();
  for (const auto& call : turn.tool_calls) {
    json.begin_object().key("name").string(call.name).key("arguments").string(call.arguments);
    if (call.result) json.key("result").string(*call.result).key("failed").boolean(call.failed);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

JsonWriter indented_json() { return JsonWriter(JsonWriter::Layout::indented); }

std::string json_document(const JsonWriter& json) { return json.text() + "\n"; }

void write_time(JsonWriter& json, std::string_view key, const std::optional<score::Millis>& value) {
  json.key(key);
  value ? json.string(base::iso_time(*value)) : json.null();
}

std::string client_name(const score::Result& result) {
  constexpr std::size_t kMost = 60;
  if (!result.eval.empty()) return result.eval_name;
  const std::string prompt = base::fold_white_space(base::trim(result.prompt));
  return prompt.empty() ? result.eval_name : base::shorten(prompt, kMost);
}

void write_result(JsonWriter& json, const score::Result& result) {
  json.begin_object();
  json.key("sample").integer(result.sample);
  json.key("eval").known(result.eval);
  json.key("eval_name").string(client_name(result));
  if (result.eval.empty()) json.key("label").string(result.eval_name);
  json.key("repeat").integer(result.repeat + 1);
  write_turn(json, result);
  json.key("judge_cost").known(result.judge_cost);
  json.key("turn").integer(result.turn);
  if (result.from_cache) json.key("cached").boolean(true);
  if (result.output_quality) json.key("output_quality").number(*result.output_quality);
  if (result.structure_score) json.key("structure_score").number(*result.structure_score);
  if (result.fitness) json.key("fitness").number(*result.fitness);
  if (!result.fitness_error.empty()) json.key("fitness_error").string(result.fitness_error);
  if (!result.turns.empty()) {
    json.key("turns").begin_array();
    for (const auto& turn : result.turns) {
      json.begin_object();
      write_turn(json, turn);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

void write_run(JsonWriter& json, const score::Run& run) {
  json.begin_object();
  write_fields(json, run);
  json.end_object();
}

void write_run(JsonWriter& json, const score::Run& run, std::span<const score::Result> results) {
  json.begin_object();
  write_fields(json, run);
  json.key("yaml_content").string(run.suite_text);
  json.key("explanation");
  run.explanation.empty() ? json.null() : json.raw(run.explanation);
  json.key("results").begin_array();
  for (const auto& result : results) write_result(json, result);
  json.end_array().end_object();
}

void write_pagination(JsonWriter& json, std::size_t total, std::string_view next) {
  json.key("pagination").begin_object();
  json.key("total").integer(static_cast<std::int64_t>(total));
  json.key("hasMore").boolean(!next.empty());
  if (!next.empty()) json.key("next").string(next);
  json.end_object();
}

std::string page_json(const store::RunPage& page) {
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object().key("runs").begin_array();
  for (const auto& run : page.runs) write_run(json, run);
  json.end_array();
  write_pagination(json, page.total, page.next);
  json.end_object();
  return json.text() + "\n";
}

std::string runs_csv(std::span<const score::Run> runs) {
  std::string out =
      csv_row({"id", "suite_name", "model", "status", "created_at", "completed_at", "score",
               "success_percentage", "total_cost", "duration_seconds", "results_count",
               "evals_passed", "total_prompt_tokens", "total_completion_tokens", "score_error"});
  for (const auto& run : runs)
    out += csv_row(
        {run.id, run.suite_name, run.model, std::string(to_string(run.status)),
         base::iso_time(run.created_at), run.completed_at ? base::iso_time(*run.completed_at) : "",
         csv_number(run.score), csv_number(run.success_percentage()), csv_number(run.total_cost),
         csv_number(run.duration), std::to_string(run.results), std::to_string(run.passed),
         csv_number(run.prompt_tokens), csv_number(run.completion_tokens), run.score_error});
  return out;
}

std::string results_csv(std::span<const score::Result> results) {
  std::string out = csv_row({"eval_name", "repeat", "status", "latency_seconds", "cost",
                             "prompt_tokens", "completion_tokens", "prompt", "response", "error",
                             "output_quality", "structure_score", "fitness"});
  for (const auto& result : results)
    out += csv_row({result.eval_name, std::to_string(result.repeat + 1),
                    std::string(to_string(result.status)), csv_number(result.latency),
                    csv_number(result.cost), csv_number(result.prompt_tokens),
                    csv_number(result.completion_tokens), result.prompt, result.response,
                    result.error, csv_number(result.output_quality),
                    csv_number(result.structure_score), csv_number(result.fitness)});
  return out;
}

}  // namespace vibe::report
