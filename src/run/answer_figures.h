// Figures of answers that take some looking at: computed only where a formula is about them. Pure.
#pragma once

#include "fitness/rubric.h"
#include "formula/program.h"
#include "score/run.h"

namespace vibe::run {

bool uses(const formula::Program& program, formula::Column column);
// Whether a formula is about `output_quality` or `structure_score`.
bool uses_answers(const formula::Program& program);

// Looks at the response as it is kept, without secrets, so that a look at the stored result gives
// the same.
void look_at_answer(score::Result& result, const fitness::Rubric& rubric);

}  // namespace vibe::run
