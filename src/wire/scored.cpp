#include "wire/scored.h"

#include "base/time.h"
#include "trace/own.h"
#include "wire/csv.h"
#include "wire/json.h"

namespace vibe::wire {

using base::JsonValue;
using base::JsonWriter;
using fitness::DecisionRecord;
using fitness::ScoredExecution;

namespace {

std::vector<std::string> texts_of(const JsonValue& from, std::string_view key) {
  std::vector<std::string> out;
  const JsonValue* list = from.find(key);
  if (list && list->array())
    for (const auto& each : *list->array())
      if (each.text()) out.push_back(*each.text());
  return out;
}

fitness::DecisionSide read_side(const JsonValue& from, std::string_view key) {
  fitness::DecisionSide out;
  const JsonValue* side = from.find(key);
  if (!side) return out;
  out.what = side->text_of("what");
  if (const JsonValue* scores = side->find("scores"); scores && scores->array())
    for (const auto& each : *scores->array())
      if (each.number()) out.scores.push_back(*each.number());
  out.executions = texts_of(*side, "executions");
  return out;
}

template <class Item, class Read>
std::optional<store::Page<Item>> read_page(const JsonValue& from, std::string_view key, Read read) {
  const JsonValue* list = from.find(key);
  if (!list || !list->array()) return std::nullopt;
  store::Page<Item> out;
  for (const auto& each : *list->array()) {
    std::optional<Item> item = read(each);
    if (!item) return std::nullopt;
    out.items.push_back(*std::move(item));
  }
  read_pagination(from, out);
  return out;
}

template <class Item, class Write>
std::string json_lines(std::span<const Item> items, const Write& write) {
  std::string out;
  for (const auto& item : items) {
    JsonWriter json;
    write(json, item);
    out += json.text() + "\n";
  }
  return out;
}

template <class Item, class Write>
std::string page_of(std::string_view name, const store::Page<Item>& page, const Write& write) {
  auto json = indented_json();
  json.begin_object().key(name).begin_array();
  for (const auto& item : page.items) write(json, item);
  json.end_array();
  write_pagination(json, page.total, page.next);
  json.end_object();
  return json_document(json);
}

void write_scored(JsonWriter& json, const ScoredExecution& scored) {
  json.begin_object();
  write_json(json, scored);
  json.key("execution_id").string(scored.id);
  json.key("version").known(scored.agent.version);
  json.key("score_error").known(scored.error);
  write_time(json, "scored_at", scored.scored_at);
  json.key("rubric").string(scored.rubric).key("rubric_hash").string(scored.rubric_hash);
  json.end_object();
}

void write_decision(JsonWriter& json, const DecisionRecord& record) {
  json.begin_object();
  write_json(json, record);
  json.end_object();
}

}  // namespace

std::string scored_json(const ScoredExecution& scored) {
  auto json = indented_json();
  write_scored(json, scored);
  return json.text() + "\n";
}

std::string scored_page_json(const store::ExecutionPage& page) {
  return page_of("executions", page, write_scored);
}

std::string scored_jsonl(std::span<const ScoredExecution> executions) {
  return json_lines(executions, write_scored);
}

std::string scored_csv(std::span<const ScoredExecution> executions) {
  std::vector<std::string> head{
      "execution_id",     "agent",          "version",      "session",       "file",
      "format",           "model",          "time",         "scored_at",     "task_type",
      "complexity",       "tool_calls",     "failed_calls", "retries",       "corrections",
      "duration_seconds", "active_seconds", "input_tokens", "output_tokens", "cost"};
  for (const auto& signal : fitness::kSignals) head.emplace_back(signal.name);
  for (const char* name : {"score", "grade", "rubric", "error"}) head.emplace_back(name);
  std::string out = csv_row(head);
  for (const auto& scored : executions) {
    const auto& one = scored.execution;
    std::vector<std::string> row{scored.id,
                                 scored.agent.agent,
                                 scored.agent.version,
                                 one.id,
                                 one.file,
                                 one.format,
                                 one.model,
                                 base::iso_time(scored.time()),
                                 base::iso_time(scored.scored_at),
                                 std::string(to_string(scored.task_type)),
                                 std::string(to_string(scored.complexity)),
                                 std::to_string(one.tool_calls),
                                 std::to_string(one.failed),
                                 std::to_string(one.repeats + one.api_retries),
                                 std::to_string(one.corrections),
                                 csv_number(one.duration),
                                 csv_number(one.active),
                                 one.tokens ? std::to_string(one.tokens->input) : "",
                                 one.tokens ? std::to_string(one.tokens->output) : "",
                                 csv_number(one.cost)};
    for (const auto& signal : scored.signals) row.push_back(csv_number(signal));
    row.push_back(csv_number(scored.score));
    row.insert(row.end(), {scored.grade, scored.rubric, scored.error});
    out += csv_row(row);
  }
  return out;
}

std::string decision_page_json(const store::DecisionPage& page) {
  return page_of("decisions", page, write_decision);
}

std::string decision_jsonl(std::span<const DecisionRecord> decisions) {
  return json_lines(decisions, write_decision);
}

std::string decision_csv(std::span<const DecisionRecord> decisions) {
  std::string out =
      csv_row({"decision_id", "made_at", "before", "after", "old", "new", "delta", "accept",
               "reason", "draw", "probability_better", "within_noise", "seed", "rubric"});
  for (const auto& record : decisions) {
    const auto& made = record.decision;
    out +=
        csv_row({record.id, base::iso_time(record.made_at), record.before.what, record.after.what,
                 csv_number(std::optional(made.old_score)),
                 csv_number(std::optional(made.new_score)), csv_number(std::optional(made.delta)),
                 made.accept ? "true" : "false", std::string(to_string(made.reason)),
                 csv_number(made.draw), csv_number(made.probability_better),
                 made.within_noise ? "true" : "false", std::to_string(made.seed), record.rubric});
  }
  return out;
}

std::optional<fitness::ScoredExecution> read_scored(const JsonValue& from) {
  fitness::ScoredExecution out;
  out.id = from.text_of("execution_id");
  const JsonValue* signals = from.find("signals");
  if (out.id.empty() || !signals) return std::nullopt;
  out.execution = trace::read_figures(from);
  out.execution.notes = texts_of(from, "notes");
  out.agent = {out.execution.agent, std::string(from.text_of("version"))};
  out.scored_at = read_time(from, "scored_at").value_or(0);
  out.task_type = fitness::task_type(from.text_of("task_type")).value_or(out.task_type);
  out.complexity = fitness::complexity(from.text_of("complexity")).value_or(out.complexity);
  for (std::size_t i = 0; i < fitness::kSignals.size(); ++i)
    out.signals[i] = signals->number_of(fitness::kSignals[i].name);
  out.score = from.number_of("score");
  out.error = from.text_of("score_error");
  out.grade = from.text_of("grade");
  out.meaning = from.text_of("interpretation");
  out.rubric = from.text_of("rubric");
  out.rubric_hash = from.text_of("rubric_hash");
  return out;
}

std::optional<fitness::DecisionRecord> read_decision(const JsonValue& from) {
  const auto reason = fitness::reason(from.text_of("reason"));
  if (!reason) return std::nullopt;
  fitness::DecisionRecord out;
  out.id = from.text_of("decision_id");
  out.made_at = read_time(from, "made_at").value_or(0);
  out.decision = {.accept = is_true(from, "accept"),
                  .reason = *reason,
                  .old_score = from.number_of("old").value_or(0),
                  .new_score = from.number_of("new").value_or(0),
                  .delta = from.number_of("delta").value_or(0),
                  .seed = static_cast<std::uint64_t>(from.integer_of("seed").value_or(0)),
                  .draw = from.number_of("draw"),
                  .probability_better = from.number_of("probability_better"),
                  .within_noise = is_true(from, "within_noise")};
  out.before = read_side(from, "before");
  out.after = read_side(from, "after");
  out.rubric = from.text_of("rubric");
  out.rubric_hash = from.text_of("rubric_hash");
  return out;
}

std::optional<store::ExecutionPage> read_scored_page(const JsonValue& from) {
  return read_page<fitness::ScoredExecution>(from, "executions", read_scored);
}

std::optional<store::DecisionPage> read_decision_page(const JsonValue& from) {
  return read_page<fitness::DecisionRecord>(from, "decisions", read_decision);
}

}  // namespace vibe::wire
