// AnswerScore: how good an answer looks on its own, by the signals of the same names, for use when
// nothing is known about the execution. Pure.
#pragma once

#include <optional>

#include "fitness/heuristics.h"
#include "fitness/rubric.h"

namespace vibe::fitness {

struct AnswerScore {
  std::optional<double> output_quality, structure_score;  // 0–1; none: the answer has no text
};

AnswerScore score_answer(const Answer& answer, const Rubric& rubric);

}  // namespace vibe::fitness
