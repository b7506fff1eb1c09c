#include "run/answer_figures.h"

#include <algorithm>

#include "fitness/answer_score.h"

namespace vibe::run {

bool uses(const formula::Program& program, formula::Column column) {
  return std::any_of(program.inputs.begin(), program.inputs.end(),
                     [&](const formula::Input& input) { return input.column == column; });
}

bool uses_answers(const formula::Program& program) {
  return uses(program, formula::Column::output_quality) ||
         uses(program, formula::Column::structure_score);
}

void look_at_answer(score::Result& result, const fitness::Rubric& rubric) {
  const score::Turn& last = result.turns.empty() ? result : result.turns.back();
  const auto found = fitness::score_answer({last.response, last.prompt}, rubric);
  result.output_quality = found.output_quality;
  result.structure_score = found.structure_score;
}

}  // namespace vibe::run
