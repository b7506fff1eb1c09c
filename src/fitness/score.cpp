#include "fitness/score.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "fitness/decide.h"
#include "formula/arithmetic.h"
#include "formula/evaluate.h"

namespace vibe::fitness {

using formula::Op;
using formula::Program;

namespace {

// A formula's inputs are rows of kSignals.
std::size_t row_of(const formula::Input& input) {
  return static_cast<std::size_t>(input.figure - kSignals.data());
}

// The signals that a sub-tree uses, directly or through metrics; each metric is visited once.
class Used {
 public:
  explicit Used(const Program& program) : program_(program), seen_(program.formulas.size()) {}

  std::vector<Signal> below(std::size_t formula, std::uint32_t node) {
    add(formula, node);
    std::vector<Signal> out;
    for (std::size_t i = 0; i < set_.size(); ++i)
      if (set_.test(i)) out.push_back(static_cast<Signal>(i));
    return out;
  }

 private:
  // A sub-tree ends at its root and is contiguous.
  void add(std::size_t formula, std::uint32_t root) {
    const formula::Tree& tree = program_.formulas[formula].tree;
    std::uint32_t first = root;
    while (tree.nodes[first].child_count > 0) first = tree.children_of(tree.nodes[first])[0];
    for (std::uint32_t i = first; i <= root; ++i) {
      const formula::Node& node = tree.nodes[i];
      if (node.op == Op::input) set_.set(row_of(program_.inputs[node.index]));
      if (node.op != Op::metric || seen_[node.index]) continue;
      seen_[node.index] = true;
      add(node.index, program_.formulas[node.index].tree.root());
    }
  }

  const Program& program_;
  std::vector<bool> seen_;
  std::bitset<kSignals.size()> set_;
};

std::string_view name_of(Signal id) { return kSignals[static_cast<std::size_t>(id)].name; }

// The unknown signals in the score's formula.
std::vector<Signal> unknown_signals(const Signals& signals, const Program& program) {
  std::vector<Signal> out = signals_of(program, program.formulas.size() - 1);
  std::erase_if(out, [&](Signal id) { return value_of(signals, id).value.has_value(); });
  return out;
}

// `tool_success_rate: n/a (no tool calls)`
std::vector<std::string> unknown_notes(const Signals& signals, const Program& program) {
  std::vector<std::string> out;
  for (const Signal id : unknown_signals(signals, program))
    out.push_back(fmt::format("{}: n/a ({})", name_of(id), value_of(signals, id).why));
  return out;
}

bool any_unknown(const std::vector<Signal>& used, const Signals& signals) {
  return std::any_of(used.begin(), used.end(),
                     [&](Signal id) { return !value_of(signals, id).value; });
}

class Scoring {
 public:
  Scoring(const formula::Evaluation& evaluation, const Rubric& rubric, Fitness& out)
      : evaluation_(evaluation), rubric_(rubric), out_(out) {}

  void run() {
    const double value = evaluation_.score();
    if (!std::isnan(value)) {
      out_.score = value;
      if (rubric_.sum) take_apart();
    } else if (rubric_.undefined == OnUndefined::rescale && rubric_.sum) {
      rescale();
    } else {
      refuse_undefined();
    }
    refuse_too_large();
    if (!out_.score) return;
    const Grade& grade = rubric_.grade_of(*out_.score);
    out_.grade = grade.name;
    out_.meaning = grade.meaning;
  }

 private:
  const Program& program() const { return evaluation_.program(); }

  std::size_t last() const { return program().formulas.size() - 1; }

  void refuse(NoScore why, std::string error) {
    out_.score.reset();
    out_.no_score = why;
    out_.error = std::move(error);
    out_.scale = 1;
    out_.terms.clear();
  }

  bool is_unknown(const formula::Input& input) const { return !out_.signals[row_of(input)].value; }

  void refuse_undefined() {
    formula::Cause cause = formula::cause_of_undefined(evaluation_, last());
    if (!cause.input || !is_unknown(*cause.input))
      return refuse(NoScore::undefined, std::move(cause.sentence));
    refuse(NoScore::unknown_signal,
           fmt::format("{}", fmt::join(unknown_notes(out_.signals, program()), ", ")));
  }

  // A term has no value although its signals are known.
  void refuse_undefined(const Term& term) {
    formula::Cause cause = formula::cause_of_undefined(evaluation_, last());
    const bool is_other = cause.input && is_unknown(*cause.input);  // another term came first
    refuse(NoScore::undefined,
           is_other ? fmt::format("\"{}\" has no value", term.expr) : std::move(cause.sentence));
  }

  void take_apart() {
    for (const WeightedSum::Term& one : rubric_.sum->terms) {
      Term term;
      term.expr = text_of(program().score(), one);
      term.signals = Used(program()).below(last(), one.node);
      term.weight = one.weight;
      const double value = evaluation_.value(last(), one.node);
      if (!std::isnan(value)) term.value = value;
      out_.terms.push_back(std::move(term));
    }
    give_points();
  }

  void give_points() {
    for (Term& term : out_.terms) {
      if (!term.value) continue;
      const double scale = term.weight > 0 ? out_.scale : 1;
      term.most_points = rubric_.sum->factor * (term.weight * scale);
      term.points = rubric_.sum->factor * (term.weight * *term.value * scale);
    }
  }

  void rescale() {
    take_apart();
    double kept = 0;
    for (const Term& term : out_.terms) {
      if (!term.value && !any_unknown(term.signals, out_.signals)) return refuse_undefined(term);
      if (term.value && term.weight > 0) kept += term.weight;
    }
    if (kept <= 0) return refuse_undefined();
    out_.scale = rubric_.sum->all() / kept;
    give_points();
    double given = 0, taken = 0;
    for (const Term& term : out_.terms) {
      if (!term.value) continue;
      (term.weight > 0 ? given : taken) += term.weight * *term.value;
    }
    double sum = rubric_.sum->factor * (given * out_.scale + taken);
    if (rubric_.sum->digits) sum = formula::arithmetic::round_decimal(sum, *rubric_.sum->digits);
    out_.score = sum;
  }

  void refuse_too_large() {
    if (!out_.score || std::abs(*out_.score) <= kMostScore) return;
    refuse(NoScore::too_large, fmt::format("the score is too large: {:.6g}", *out_.score));
  }

  const formula::Evaluation& evaluation_;
  const Rubric& rubric_;
  Fitness& out_;
};

}  // namespace

std::vector<Signal> signals_of(const Program& program, std::size_t formula) {
  return Used(program).below(formula, program.formulas[formula].tree.root());
}

Fitness score(Signals signals, const Rubric& rubric) {
  Fitness out;
  out.signals = std::move(signals);
  std::vector<double> inputs;
  for (const formula::Input& input : rubric.program.inputs)
    inputs.push_back(out.signals[row_of(input)].value.value_or(formula::kUndefined));
  const formula::Evaluation evaluation(rubric.program, inputs);
  out.explanation = formula::explain(evaluation, rubric.program.formulas.size() - 1);
  Scoring(evaluation, rubric, out).run();
  return out;
}

Fitness score(const trace::Execution& execution, const Rubric& rubric, const Given& given) {
  AnswerFindings answer;
  if (!base::trim(execution.output).empty())
    answer = look_at({execution.output, execution.prompt}, rubric.words);
  Task task = task_of(execution, answer, given.type, given.complexity);
  Fitness out = score(measure(execution, answer, task, rubric), rubric);
  out.task = std::move(task);
  out.answer = std::move(answer);
  return out;
}

std::vector<std::string> notes_of(const Fitness& fitness, const Rubric& rubric) {
  std::vector<std::string> out = unknown_notes(fitness.signals, rubric.program);
  if (fitness.score && fitness.scale != 1) {
    out.push_back(fmt::format("the weights of the other terms are multiplied by {}",
                              base::to_decimal(fitness.scale, 4)));
    if (fitness.scale > 2)
      out.push_back(fmt::format("{}: the score uses only {} % of the weights", kLittleKnown,
                                base::to_decimal(100 / fitness.scale, 0)));
  }
  if (!fitness.score)
    out.push_back(fitness.no_score == NoScore::unknown_signal  // the notes name it
                      ? "no score"
                      : fmt::format("no score: {}", fitness.error));
  return out;
}

std::vector<std::string> all_notes(const Scored& scored, const Rubric& rubric) {
  std::vector<std::string> out = scored.execution.notes;
  for (auto& note : notes_of(scored.fitness, rubric))  // what was scored before has them already
    if (std::find(out.begin(), out.end(), note) == out.end()) out.push_back(std::move(note));
  return out;
}

}  // namespace vibe::fitness
