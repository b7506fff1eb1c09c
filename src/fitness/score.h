// Score: an execution → its fitness by a rubric: signals, score, grade, and what each term of the
// formula gave or took. Pure.
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
  std::vector<Signal> signals;  // that it uses, also by way of metrics; in their order
  double weight = 0;            // as the formula has it
  std::optional<double> value;  // none: an undefined signal; the term was left out
  double points = 0;            // what it gives to the score
  double most_points = 0;       // what it could give, were the term 1
};

// Why there is no score.
enum class NoScore : std::uint8_t {
  unknown_signal,  // the formula needs one; `error` lists those that are not known
  undefined,       // an operation of the formula has no value: a division by zero, say
  too_large,       // nothing could be compared with it
};

struct Fitness {
  Task task;
  AnswerFindings answer;
  Signals signals;
  std::optional<double> score;      // none: `no_score` and `error` say why
  std::optional<NoScore> no_score;  // none: there is a score
  std::string error;
  std::string grade, meaning;  // empty without a score
  std::vector<Term> terms;     // empty: the formula has another shape, or there is no score
  double scale = 1;            // by which the kept terms were multiplied; 1: none was left out
  formula::Explanation explanation;  // of the formula as it is
};

struct Given {  // by the user
  std::optional<TaskType> type;
  std::optional<Complexity> complexity;
};

// `execution.output` is the answer that is looked at.
//
// A score that the formula has is taken as it is. One that it does not have, since a signal is not
// known, is made of the terms that are (`undefined: rescale`): those of positive weight are
// multiplied by Σ all positive weights / Σ those kept. A term of negative weight takes points; it
// stays as it is where it is known, and is left out where it is not. A term is known if it has a
// value: `default(signal, 0.5)` always has one.
Fitness score(const trace::Execution& execution, const Rubric& rubric, const Given& given = {});

// The score of signals alone, as `score()` computes it.
Fitness score(Signals signals, const Rubric& rubric);

// What a reader of the score should know: signals of the formula that are not known, and why; that
// weights were raised; why there is no score. A score that rests on less than half of the weights
// has a note that begins with kLittleKnown.
inline constexpr std::string_view kLittleKnown = "little is known";
std::vector<std::string> notes_of(const Fitness& fitness, const Rubric& rubric);

// The signals that a formula of the program uses, also by way of metrics; in their order.
std::vector<Signal> signals_of(const formula::Program& program, std::size_t formula);

// An execution and what it is worth.
struct Scored {
  trace::Execution execution;
  Fitness fitness;
};

}  // namespace vibe::fitness
