#include "fitness/answer_score.h"

#include "fitness/signals.h"

namespace vibe::fitness {

AnswerScore score_answer(const Answer& answer, const Rubric& rubric) {
  trace::Execution execution;
  execution.output = answer.text;
  const AnswerFindings findings = look_at(answer, rubric.words);
  const Task task = task_of(execution, findings, std::nullopt, std::nullopt);
  const Signals signals = measure(execution, findings, task, rubric);
  return {value_of(signals, Signal::output_quality).value,
          value_of(signals, Signal::structure_score).value};
}

}  // namespace vibe::fitness
