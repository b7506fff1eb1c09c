// Weighted: the inputs of a formula for answers that count more or less than once. Most inputs
// follow from a few sums over the answers; percentiles and chances (`pass_at`, `pass_all`) need the
// weight of each answer. Every input
// equals its plain value if each answer counts once. Immutable once made; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formula/program.h"
#include "statistics/design.h"
#include "statistics/plan.h"

namespace vibe::statistics {

// A pseudo-unit or pseudo-answer that smooths passes: a copy of a unit, or of one answer, with its
// passes replaced.
struct Copy {
  std::uint32_t selected = 0;  // enters the inputs over these alone
  std::uint32_t unit = kNone;  // or else:
  std::uint32_t answer = 0;
  double passed = 0, weight = 0;
};

// The smoothed pass rate of a named eval: (weight * passes + pass) / (weight * answers + fail +
// pass).
struct Smoothing {
  double fail = 0, pass = 0, weight = 1;
};

class Weighted {
 public:
  Weighted(const formula::Program& program, const Plan& plan, const Design& design,
           const Answers& answers);

  const Answers& answers() const { return answers_; }
  std::size_t sums() const { return sums_.size(); }
  // What something adds to the sums of its eval, and which these are.
  struct Row {
    std::span<const std::uint32_t> sums;
    const double* values = nullptr;  // as many
    // Adds it, times a number.
    void add_to(std::span<double> all, double times) const {
      for (std::size_t i = 0; i < sums.size(); ++i) all[sums[i]] += times * values[i];
    }
  };
  Row of_unit(std::uint32_t unit) const { return units_.row(unit); }
  Row of_question(std::uint32_t question) const { return questions_.row(question); }
  Row of_answer(std::uint32_t answer) const { return by_answer_.row(answer); }
  void add(const Copy& copy, std::span<double> sums) const;

  std::span<const double> totals() const { return totals_; }  // if each answer counts once

  // Passes per answer.
  double pass_share(std::span<const std::uint32_t> units) const;

  bool weighs_answers() const { return has_ordered_ || has_chances_; }
  bool has_chances() const { return has_chances_; }
  // The values of the plan's inputs, in its order. `smoothing` is by place in plan().named_shares;
  // empty: none. `weights` is by answer, and only needed if weighs_answers(). `moves` is by
  // question: how many standard deviations its chances are away from what the answers say; NaN, or
  // empty: the answers with a weight count.
  void values(std::span<const double> sums, std::span<const Smoothing> smoothing,
              std::span<const double> weights, std::span<const double> moves,
              std::span<const Copy> copies, std::span<double> out) const;

  bool needs_weights() const { return weighs_answers() || has_extremes_; }
  // The same if only some of the answers count: `sums` and `weights` are theirs; `weights` is 0 for
  // the others, and only needed if needs_weights().
  void values_of_part(std::span<const double> sums, std::span<const double> weights,
                      std::span<double> out) const;

 private:
  enum class Moment : std::uint8_t { weight, known, first, second };
  struct Sum {
    std::uint32_t selected = 0;
    formula::Column column = formula::Column::passed;
    Moment moment = Moment::weight;
    bool counts_unanswered = false;  // an unanswered sample has the value 0
    double shift = 0;
    bool operator==(const Sum&) const = default;
  };
  // Of a question, for `pass_at` and `pass_all`.
  struct Chance {
    std::uint32_t question = 0;
    double value = 0, deviation = 0;  // if asked again
  };
  struct InputSums {
    bool is_undefined = false;
    bool needs_all = false;  // an unknown value makes it undefined
    std::uint32_t weight = 0, known = 0, first = 0, second = 0;
    double size = 0, known_size = 0;
    std::uint32_t named = 0;               // place in plan().named_shares
    std::vector<std::uint32_t> ordered{};  // answers by value
    std::vector<double> sorted{};          // their values
    double share = 0;                      // of the percentile, 0-1
    std::vector<Chance> chances{};
  };

  // Rows with the sums of their evals alone: a formula may name hundreds of evals.
  class Rows {
   public:
    // Adds a row of zeros; returns where it is.
    double* add(std::span<const std::uint32_t> sums) {
      starts_.push_back(values_.size());
      sums_.push_back(sums);
      values_.resize(values_.size() + sums.size());
      return values_.data() + starts_.back();
    }
    Row row(std::uint32_t index) const { return {sums_[index], values_.data() + starts_[index]}; }

   private:
    std::vector<std::size_t> starts_;
    std::vector<std::span<const std::uint32_t>> sums_;
    std::vector<double> values_;
  };

  std::uint32_t sum(const Sum& wanted);
  double value(std::uint32_t answer, const Sum& sum) const;
  double moment(double value, const Sum& sum) const;
  InputSums plan_input(const PlannedInput& planned, const formula::Input& input);
  void fill_tables();
  double extreme(const InputSums& input, std::span<const double> weights, bool is_largest) const;
  double percentile(const InputSums& input, std::uint32_t selected, std::span<const double> weights,
                    std::span<const Copy> copies, formula::Column column) const;
  void plan_chances(const PlannedInput& planned, const formula::Input& input, InputSums& out);
  // Of the answers to a question that have a weight; NaN: too few.
  double chance_of(std::uint32_t question, const formula::Input& input,
                   std::span<const double> weights) const;
  double chance(const InputSums& input, const PlannedInput& planned,
                std::span<const double> weights, std::span<const double> moves,
                std::span<const Copy> copies) const;
  double chance_of_part(const InputSums& input, const formula::Input& of,
                        std::span<const double> weights) const;

  const formula::Program& program_;
  const Plan& plan_;
  const Design& design_;
  const Answers& answers_;
  std::vector<Sum> sums_;
  std::vector<std::uint32_t> weight_sums_;  // by selection
  std::vector<InputSums> inputs_;
  std::vector<std::vector<std::uint32_t>> eval_sums_;  // by eval
  Rows units_, questions_, by_answer_;
  std::vector<double> totals_;
  bool has_ordered_ = false, has_extremes_ = false, has_chances_ = false;
};

}  // namespace vibe::statistics
