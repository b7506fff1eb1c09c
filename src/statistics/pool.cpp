#include "statistics/pool.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vibe::statistics {

namespace {

constexpr std::size_t kBlock = 256;  // rows that are evaluated together

}  // namespace

Pool::Pool(const formula::Program& program, std::size_t formula, const Pairs& pairs,
           std::optional<double> on_undefined)
    : program_(program),
      formula_(formula),
      pairs_(pairs),
      on_undefined_(on_undefined),
      plan_(make_plan(program, formula, pairs.design())) {
  for (const std::uint32_t unit : plan_.used)
    for (const std::uint32_t question : questions_of_unit(unit)) questions_.push_back(question);
  Rows rows(pairs.design().questions);
  for (std::uint32_t question = 0; question < rows.size(); ++question)
    for (const Answers* side : pairs.sides())
      for (std::uint32_t i = side->begin(question); i < side->end(question); ++i) {
        rows[question].push_back(static_cast<std::uint32_t>(samples_.size()));
        samples_.add(score::Samples::kNoEval, side->sample(i));
      }
  answers_ = std::make_unique<Answers>(samples_, std::move(rows));
  weighted_ = std::make_unique<Weighted>(program, plan_, pairs.design(), *answers_);
}

std::vector<std::uint32_t> Pool::questions_of_unit(std::uint32_t unit) const {
  const Unit& of = design().units[unit];
  std::vector<std::uint32_t> out(of.count);
  for (std::uint32_t i = 0; i < of.count; ++i) out[i] = of.first + i;
  return out;
}

Pool::Side Pool::nobody() const {
  return {std::vector<double>(weighted_->sums()),
          std::vector<double>(weighted_->needs_weights() ? answers_->size() : 0)};
}

void Pool::give_question(std::uint32_t question, std::size_t from, double times, Side& to) const {
  const std::uint32_t middle = begin(question) + count_of_base(question);
  const std::uint32_t first = from == 0 ? begin(question) : middle;
  const std::uint32_t last = from == 0 ? middle : begin(question) + count(question);
  for (std::uint32_t answer = first; answer < last; ++answer)
    give(answer, times * weight(from, question), to);
}

std::array<Pool::Side, 2> Pool::as_given() const {
  std::array<Side, 2> out{nobody(), nobody()};
  for (std::size_t side = 0; side < 2; ++side)
    for (const std::uint32_t question : questions_) give_question(question, side, 1, out[side]);
  return out;
}

double Pool::defined(double score) const {
  return std::isnan(score) ? on_undefined_.value_or(score) : score;
}

double Pool::difference(double base, double candidate) const {
  const double out = defined(candidate) - defined(base);
  return std::isfinite(out) ? out : formula::kUndefined;
}

Division::Division(const Pool& pool)
    : pool_(pool),
      values_(pool.program(), pool.formula(), pool.plan()),
      inputs_(pool.plan().inputs.size()) {
  for (auto& columns : columns_) columns.resize(inputs_.size() * kBlock);
}

void Division::add(const Pool::Side& base, const Pool::Side& candidate) {
  std::size_t number = 0;
  for (const Pool::Side* side : {&base, &candidate}) {
    pool_.values(*side, inputs_);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      columns_[number][i * kBlock + rows_] = inputs_[i];
    ++number;
  }
  if (++rows_ == kBlock) evaluate();
}

void Division::evaluate() {
  std::array<std::vector<double>, 2> out;
  for (std::size_t side = 0; side < 2; ++side) {
    out[side].resize(rows_);
    if (rows_ > 0) values_.run(columns_[side], kBlock, rows_, out[side].data());
  }
  for (std::size_t row = 0; row < rows_; ++row)
    done_.push_back({out[0][row], out[1][row], pool_.difference(out[0][row], out[1][row])});
  rows_ = 0;
}

std::vector<Division::Row> Division::take() {
  evaluate();
  return std::exchange(done_, {});
}

}  // namespace vibe::statistics
