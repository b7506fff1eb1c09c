// AnswerScore: how good an answer looks by itself, as the signals of the same names have it: what
// there is to tell where nothing is known of how it was reached. Pure.
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
