// Pool: the answers of both runs of a comparison together, and what the formula's inputs are if
// some of the answers belong to the base and the rest to the candidate. Tests deal them again;
// contributions exchange the answers to some evals. Immutable once made; safe from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "formula/program.h"
#include "statistics/pairs.h"
#include "statistics/plan.h"
#include "statistics/values.h"
#include "statistics/weighted.h"

namespace vibe::statistics {

class Pool {
 public:
  Pool(const formula::Program& program, std::size_t formula, const Pairs& pairs,
       std::optional<double> on_undefined);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  const formula::Program& program() const { return program_; }
  std::size_t formula() const { return formula_; }
  const Plan& plan() const { return plan_; }
  const Design& design() const { return pairs_.design(); }
  // Questions that the formula uses, in order.
  const std::vector<std::uint32_t>& questions() const { return questions_; }
  std::vector<std::uint32_t> questions_of_unit(std::uint32_t unit) const;

  // The pooled answers to a question: the base's, then the candidate's.
  std::uint32_t begin(std::uint32_t question) const { return answers_->begin(question); }
  std::uint32_t count(std::uint32_t question) const { return answers_->count(question); }
  std::uint32_t count_of_base(std::uint32_t question) const {
    return pairs_.side(0).count(question);
  }
  double weight(std::size_t side, std::uint32_t question) const {
    return pairs_.side(side).weight(question);
  }

  // What the answers count on one side.
  struct Side {
    std::vector<double> sums;
    std::vector<double> weights;  // by pooled answer; empty unless an input needs them
  };
  Side nobody() const;
  void give(std::uint32_t answer, double weight, Side& to) const {
    weighted_->of_answer(answer).add_to(to.sums, weight);
    if (!to.weights.empty()) to.weights[answer] += weight;
  }
  // As the runs gave them: `from` is the run whose answers to the question are meant.
  void give_question(std::uint32_t question, std::size_t from, double times, Side& to) const;
  std::array<Side, 2> as_given() const;
  // The inputs of the plan, in its order.
  void values(const Side& side, std::span<double> out) const {
    weighted_->values_of_part(side.sums, side.weights, out);
  }
  // The score, or what replaces an undefined one.
  double defined(double score) const;
  // Of two scores; NaN: undefined.
  double difference(double base, double candidate) const;

 private:
  const formula::Program& program_;
  std::size_t formula_;
  const Pairs& pairs_;
  std::optional<double> on_undefined_;
  Plan plan_;
  std::vector<std::uint32_t> questions_;
  score::Samples samples_;
  std::unique_ptr<Answers> answers_;
  std::unique_ptr<Weighted> weighted_;
};

// Evaluates the formula for one way after the other to divide the pool; in blocks. One per thread.
class Division {
 public:
  explicit Division(const Pool& pool);

  // Adds a row; the values are ready after take().
  void add(const Pool::Side& base, const Pool::Side& candidate);
  struct Row {
    double base, candidate, difference;  // NaN: undefined
  };
  std::vector<Row> take();

 private:
  void evaluate();

  const Pool& pool_;
  Values values_;
  std::array<std::vector<double>, 2> columns_;
  std::vector<double> inputs_;
  std::size_t rows_ = 0;
  std::vector<Row> done_;
};

}  // namespace vibe::statistics
