// Figures about an answer's text: computed only if a formula uses them, since they take time. Pure.
#pragma once

#include "fitness/rubric.h"
#include "formula/program.h"
#include "score/run.h"

namespace vibe::run {

bool uses(const formula::Program& program, formula::Column column);
// Whether a formula uses `output_quality` or `structure_score`.
bool uses_answers(const formula::Program& program);

// Looks at the response as it is stored, without secrets, so that the stored result gives the same
// figures.
void look_at_answer(score::Result& result, const fitness::Rubric& rubric);

}  // namespace vibe::run
