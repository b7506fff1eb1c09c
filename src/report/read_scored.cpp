#include "report/read_scored.h"

#include "report/read_run.h"
#include "trace/own.h"

namespace vibe::report {

using base::JsonValue;

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

}  // namespace

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

}  // namespace vibe::report
