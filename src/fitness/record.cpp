#include "fitness/record.h"

#include <utility>

#include "base/time.h"
#include "trace/own.h"

namespace vibe::fitness {

namespace {

void write_texts(base::JsonWriter& json, std::string_view key,
                 const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const auto& text : texts) json.string(text);
  json.end_array();
}

void write_side(base::JsonWriter& json, std::string_view key, const DecisionSide& side) {
  json.key(key).begin_object();
  json.key("what").string(side.what);
  json.key("scores").begin_array();
  for (const double score : side.scores) json.number(score);
  json.end_array();
  write_texts(json, "executions", side.executions);
  json.end_object();
}

}  // namespace

AgentVersion agent_version(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == text.npos || at == 0) return {std::string(text), {}};
  return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

AgentQuery agent_query(std::string_view text) {
  auto [agent, version] = agent_version(text);
  const bool has_version = agent.size() != text.size();
  return {std::move(agent), has_version ? std::optional(std::move(version)) : std::nullopt};
}

std::string to_string(const AgentVersion& agent) {
  return agent.version.empty() ? agent.agent : agent.agent + "@" + agent.version;
}

Millis ScoredExecution::time() const {
  constexpr Millis kMicros = 1000;
  return execution.ended ? *execution.ended / kMicros : scored_at;
}

ScoredExecution record_of(const Scored& scored, const Rubric& rubric) {
  ScoredExecution out;
  out.agent = agent_version(scored.execution.agent);
  out.execution = scored.execution;
  // What may be large, or nobody's business.
  out.execution.calls = {};
  out.execution.prompt = out.execution.output = {};
  for (auto& note : notes_of(scored.fitness, rubric))
    out.execution.notes.push_back(std::move(note));
  const Fitness& fitness = scored.fitness;
  out.task_type = fitness.task.type;
  out.complexity = fitness.task.complexity;
  for (std::size_t i = 0; i < kSignals.size(); ++i) out.signals[i] = fitness.signals[i].value;
  out.score = fitness.score;
  out.error = fitness.error;
  out.grade = fitness.grade;
  out.meaning = fitness.meaning;
  out.rubric = rubric.name;
  return out;
}

void write_json(base::JsonWriter& json, const ScoredExecution& scored) {
  trace::Execution figures = scored.execution;
  figures.agent = scored.agent.agent;
  figures.task_type = to_string(scored.task_type);
  figures.complexity = to_string(scored.complexity);
  trace::write_figures(json, figures);
  json.key("signals").begin_object();
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    json.key(kSignals[i].name).known(scored.signals[i]);
  json.end_object();
  json.key("score").known(scored.score);
  json.key("grade").known(scored.grade);
  json.key("interpretation").known(scored.meaning);
  write_texts(json, "notes", scored.execution.notes);
}

void write_json(base::JsonWriter& json, const DecisionRecord& record) {
  const Decision& made = record.decision;
  json.key("accept").boolean(made.accept);
  json.key("reason").string(to_string(made.reason));
  json.key("delta").number(made.delta);
  json.key("old").number(made.old_score);
  json.key("new").number(made.new_score);
  json.key("seed").raw(std::to_string(made.seed));  // may be above what an int64 holds
  json.key("draw").known(made.draw);
  json.key("probability_better").known(made.probability_better);
  json.key("within_noise").boolean(made.within_noise);
  json.key("decision_id").known(record.id);
  json.key("made_at").string(base::iso_time(record.made_at));
  write_side(json, "before", record.before);
  write_side(json, "after", record.after);
  json.key("rubric").known(record.rubric);
  json.key("rubric_hash").known(record.rubric_hash);
}

}  // namespace vibe::fitness
