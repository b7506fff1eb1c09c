#include "fitness/record.h"

#include <utility>

namespace vibe::fitness {

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
  // Large or private parts are dropped.
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

}  // namespace vibe::fitness
