#include "report/read_run.h"

#include "base/text.h"
#include "base/time.h"
#include "report/run_json.h"

namespace vibe::report {

using base::JsonValue;

namespace {

// Totals are texts, other numbers are numbers; either will do.
std::optional<double> number_of(const JsonValue& from, std::string_view key) {
  const JsonValue* value = from.find(key);
  if (!value) return std::nullopt;
  return value->text() ? base::parse_double(*value->text()) : value->number();
}

std::optional<std::int64_t> integer_of(const JsonValue& from, std::string_view key) {
  const JsonValue* value = from.find(key);
  if (!value) return std::nullopt;
  return value->text() ? base::parse_integer(*value->text()) : value->integer();
}

std::uint32_t count_of(const JsonValue& from, std::string_view key, std::uint32_t otherwise = 0) {
  const auto value = integer_of(from, key);
  return value && *value >= 0 && *value <= UINT32_MAX ? static_cast<std::uint32_t>(*value)
                                                      : otherwise;
}

std::optional<check::Verdict> verdict_of(const JsonValue& from) {
  const auto name = from.text_of("status");
  for (const auto verdict : {check::Verdict::pass, check::Verdict::fail, check::Verdict::error})
    if (to_string(verdict) == name) return verdict;
  return std::nullopt;
}

// The items of a member, read one by one; none: one of them cannot be. No member: no items.
template <class Item, class Read>
std::optional<std::vector<Item>> list_of(const JsonValue& from, std::string_view key, Read read) {
  std::vector<Item> out;
  const JsonValue* list = from.find(key);
  if (!list || !list->array()) return out;
  for (const JsonValue& each : *list->array()) {
    std::optional<Item> item = read(each);
    if (!item) return std::nullopt;
    out.push_back(*std::move(item));
  }
  return out;
}

std::optional<check::Finding> read_finding(const JsonValue& from) {
  check::Finding out;
  const auto verdict = verdict_of(from);
  auto children = list_of<check::Finding>(from, "children", read_finding);
  if (!verdict || !children) return std::nullopt;
  out.verdict = *verdict;
  out.children = *std::move(children);
  out.type = from.text_of("type");
  out.message = from.text_of("message");
  if (const JsonValue* judge = from.find("judge"); judge && judge->object())
    out.judged = check::Judged{.model = std::string(judge->text_of("model")),
                               .asked = count_of(*judge, "asked"),
                               .agreed = count_of(*judge, "agreed"),
                               .prompt_tokens = judge->integer_of("prompt_tokens"),
                               .completion_tokens = judge->integer_of("completion_tokens"),
                               .cost = judge->number_of("cost")};
  return out;
}

std::optional<score::ToolCall> read_tool_call(const JsonValue& from) {
  if (!from.object()) return std::nullopt;
  score::ToolCall out{.name = std::string(from.text_of("name")),
                      .arguments = std::string(from.text_of("arguments"))};
  if (const JsonValue* result = from.find("result"); result && result->text())
    out.result = *result->text();
  out.failed = is_true(from, "failed");
  return out;
}

bool read_into(const JsonValue& from, score::Turn& out) {
  const auto status = score::result_status(from.text_of("status"));
  auto checks = list_of<check::Finding>(from, "check_results", read_finding);
  auto calls = list_of<score::ToolCall>(from, "tool_calls", read_tool_call);
  if (!status || !checks || !calls) return false;
  out.status = *status;
  out.checks = *std::move(checks);
  std::erase_if(out.checks, [](const auto& one) { return one.type == kErrorType; });
  out.tool_calls = *std::move(calls);
  out.prompt = from.text_of("prompt");
  out.response = from.text_of("response");
  out.thinking = from.text_of("thinking");
  out.stop_reason = from.text_of("stop_reason");
  out.error = from.text_of("error");
  out.latency = from.number_of("latency_seconds");
  out.prompt_tokens = from.integer_of("prompt_tokens");
  out.completion_tokens = from.integer_of("completion_tokens");
  out.thinking_tokens = from.integer_of("thinking_tokens");
  out.cached_tokens = from.integer_of("cached_tokens");
  out.input_cost = from.number_of("input_cost");
  out.output_cost = from.number_of("output_cost");
  out.cost = from.number_of("cost");
  out.tries = count_of(from, "tries", 1);
  return true;
}

std::optional<score::Turn> read_turn(const JsonValue& from) {
  score::Turn out;
  return read_into(from, out) ? std::optional(std::move(out)) : std::nullopt;
}

std::vector<score::NamedValue> read_metrics(const JsonValue& from, std::string_view key) {
  std::vector<score::NamedValue> out;
  const JsonValue* metrics = from.find(key);
  if (!metrics || !metrics->object()) return out;
  for (const auto& [name, value] : *metrics->object())
    out.push_back({name, "", value.number(), ""});
  return out;
}

void read_score(const JsonValue& from, score::Run& out) {
  out.score = from.number_of("score");
  out.score_formula = from.text_of("score_formula");
  out.score_error = from.text_of("score_error");
  out.score_metrics = read_metrics(from, "score_metrics");
  out.metrics = read_metrics(from, "metrics");
  for (auto& metric : out.score_metrics) {
    if (const auto* formulas = from.find("score_metric_formulas"))
      metric.formula = formulas->text_of(metric.name);
    if (const auto* errors = from.find("score_metric_errors"))
      metric.error = errors->text_of(metric.name);
  }
  if (const auto* tree = from.find("explanation"); tree && !tree->is_null())
    out.explanation = to_text(*tree);
  out.min_score = from.number_of("min_score");
}

}  // namespace

bool is_true(const JsonValue& from, std::string_view key) {
  const JsonValue* value = from.find(key);
  return value && value->boolean() == true;
}

std::optional<score::Millis> read_time(const JsonValue& from, std::string_view key) {
  const auto text = from.text_of(key);
  return text.empty() ? std::nullopt : base::parse_time(text);
}

std::optional<score::Run> read_run(const JsonValue& from) {
  score::Run out;
  out.id = from.text_of("id");
  const auto status = score::run_status(from.text_of("status"));
  if (out.id.empty() || !status) return std::nullopt;
  out.status = *status;
  out.suite_name = from.text_of("suite_name");
  out.model = from.text_of("model");
  out.source = from.text_of("source");
  out.error = from.text_of("error");
  out.created_at = read_time(from, "created_at").value_or(0);
  out.started_at = read_time(from, "started_at");
  out.completed_at = read_time(from, "completed_at");
  out.suite_text = from.text_of("yaml_content");
  out.system_prompt = from.text_of("system_prompt");
  out.version = from.text_of("version");
  out.planned = count_of(from, "planned");
  out.results = count_of(from, "results_count");
  out.passed = count_of(from, "evals_passed");
  out.errors = count_of(from, "errors");
  out.duration = number_of(from, "duration_seconds");
  out.total_cost = number_of(from, "total_cost");
  out.input_cost = number_of(from, "total_input_cost");
  out.output_cost = number_of(from, "total_output_cost");
  out.judge_cost = number_of(from, "judge_cost");
  out.prompt_tokens = integer_of(from, "total_prompt_tokens");
  out.completion_tokens = integer_of(from, "total_completion_tokens");
  out.thinking_tokens = integer_of(from, "total_thinking_tokens");
  read_score(from, out);
  return out;
}

std::optional<score::Result> read_result(const JsonValue& from) {
  score::Result out;
  auto turns = list_of<score::Turn>(from, "turns", read_turn);
  if (!turns || !read_into(from, out)) return std::nullopt;
  out.turns = *std::move(turns);
  out.sample = count_of(from, "sample");
  out.eval = from.text_of("eval");
  out.eval_name = from.text_of("label");
  if (out.eval_name.empty()) out.eval_name = from.text_of("eval_name");
  const auto repeat = count_of(from, "repeat", 1);  // counted from 1
  out.repeat = repeat > 0 ? repeat - 1 : 0;
  out.judge_cost = from.number_of("judge_cost");
  out.turn = count_of(from, "turn", 1);
  out.from_cache = is_true(from, "cached");
  out.output_quality = from.number_of("output_quality");
  out.structure_score = from.number_of("structure_score");
  out.fitness = from.number_of("fitness");
  out.fitness_error = from.text_of("fitness_error");
  return out;
}

std::optional<std::vector<score::Result>> read_results(const JsonValue& run) {
  return list_of<score::Result>(run, "results", read_result);
}

std::optional<store::RunPage> read_run_page(const JsonValue& from) {
  const JsonValue* list = from.find("runs");
  auto runs = list_of<score::Run>(from, "runs", read_run);
  if (!list || !list->array() || !runs) return std::nullopt;
  store::RunPage out;
  out.runs = *std::move(runs);
  read_pagination(from, out);
  return out;
}

}  // namespace vibe::report
