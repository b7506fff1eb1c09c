// Score: an execution → its fitness by a rubric: signals, score, grade, and the points of each term
// of the formula. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fitness/rubric.h"
#include "fitness/signals.h"
#include "formula/explain.h"
#include "trace/execution.h"

namespace vibe::fitness {

// One summand of a formula of the shape Σ NUMBER · term.
struct Term {
  std::string expr;             // `1 - error_rate`
  std::vector<Signal> signals;  // used directly or through metrics, in order
  double weight = 0;            // as in the formula
  std::optional<double> value;  // none: an undefined signal; the term was left out
  double points = 0;            // its contribution to the score
  double most_points = 0;       // its contribution if the term were 1
};

// Why there is no score.
enum class NoScore : std::uint8_t {
  unknown_signal,  // the formula needs it; `error` lists the unknown ones
  undefined,       // an operation of the formula has no value: a division by zero, say
  too_large,       // too large to compare
};

struct Fitness {
  Task task;
  AnswerFindings answer;
  Signals signals;
  std::optional<double> score;      // none: `no_score` and `error` say why
  std::optional<NoScore> no_score;  // none: there is a score
  std::string error;
  std::string grade, meaning;        // empty without a score
  std::vector<Term> terms;           // empty: the formula has another shape, or there is no score
  double scale = 1;                  // factor of the kept terms; 1: none was left out
  formula::Explanation explanation;  // of the unchanged formula
};

struct Given {  // by the user
  std::optional<TaskType> type;
  std::optional<Complexity> complexity;
};

// `execution.output` is the answer that is judged.
//
// If the formula has a value, that is the score. If it has none because a signal is unknown, the
// score is made of the known terms (`undefined: rescale`): terms of positive weight are multiplied
// by Σ all positive weights / Σ those kept. A term of negative weight subtracts points; it is
// unchanged if known, and left out if not. A term is known if it has a value: `default(signal,
// 0.5)` always has one.
Fitness score(const trace::Execution& execution, const Rubric& rubric, const Given& given = {});

// The score of given signals, computed as above.
Fitness score(Signals signals, const Rubric& rubric);

// What a reader of the score should know: unknown signals of the formula and why they are unknown;
// raised weights; why there is no score. A score based on less than half of the weights has a note
// that begins with kLittleKnown.
inline constexpr std::string_view kLittleKnown = "little is known";
std::vector<std::string> notes_of(const Fitness& fitness, const Rubric& rubric);

// The signals that a formula of the program uses, directly or through metrics, in order.
std::vector<Signal> signals_of(const formula::Program& program, std::size_t formula);

// An execution and its fitness.
struct Scored {
  trace::Execution execution;
  Fitness fitness;
};

// The log's notes and the score's notes, without duplicates.
std::vector<std::string> all_notes(const Scored& scored, const Rubric& rubric);

}  // namespace vibe::fitness
