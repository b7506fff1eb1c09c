#include "statistics/study.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "statistics/distributions.h"

namespace vibe::statistics {

namespace {

constexpr std::size_t kChunk = 16 * kLanes;  // draws that are evaluated together
constexpr double kLeastFreedom = 4;
constexpr double kNegligible = 1e-24;  // a relative variance of at most this is 0
// With more answers, leaving out one at a time takes too long if each answer is weighed, and tells
// little.
constexpr std::size_t kMostOrdered = 2'000;

double mean(std::span<const double> values) {
  double total = 0;
  for (const double value : values) total += value;
  return total / static_cast<double>(values.size());
}

}  // namespace

double Study::theta(std::span<const double> by_side) const {
  const auto value = [&](std::size_t side) {
    return std::isnan(by_side[side]) ? on_undefined_.value_or(by_side[side]) : by_side[side];
  };
  if (!is_paired()) return value(0);
  const double difference = value(1) - value(0);
  return std::isfinite(difference) ? difference : formula::kUndefined;
}

// Evaluates the formula for rows of weighted answers, each without a part.
class Study::Deletions {
 public:
  explicit Deletions(const Study& study) : study_(study) {
    for (std::size_t side = 0; side < study.weighted_.size(); ++side) {
      const auto totals = study.weighted(side).totals();
      sums_.emplace_back(totals.begin(), totals.end());
      columns_.emplace_back(study.plan_.inputs.size() * kChunk);
      evaluators_.emplace_back(study.program_, study.formula_, study.plan_);
      auto& weights = weights_.emplace_back();
      if (!study.weighted(side).weighs_answers()) continue;
      const Answers& answers = study.weighted(side).answers();
      for (std::uint32_t question = 0; question < answers.questions(); ++question)
        weights.insert(weights.end(), answers.count(question), answers.weight(question));
    }
  }

  std::vector<double>& sums(std::size_t side) { return sums_[side]; }
  // By answer; empty if no input needs them.
  std::vector<double>& weights(std::size_t side) { return weights_[side]; }

  // The next row, from sums and weights as they are.
  void add() {
    std::vector<double> values(study_.plan_.inputs.size());
    for (std::size_t side = 0; side < sums_.size(); ++side) {
      study_.weighted(side).values(sums_[side], {}, weights_[side], {}, {}, values);
      for (std::size_t i = 0; i < values.size(); ++i)
        columns_[side][i * kChunk + rows_] = values[i];
    }
    if (++rows_ == kChunk) evaluate();
  }

  // Of all rows since the last call.
  std::vector<double> take() {
    evaluate();
    return std::exchange(thetas_, {});
  }
  // By side, of the last row.
  std::vector<double> last() {
    evaluate();
    return last_;
  }

 private:
  void evaluate() {
    if (rows_ == 0) return;
    std::vector<std::vector<double>> values(sums_.size(), std::vector<double>(rows_));
    for (std::size_t side = 0; side < sums_.size(); ++side)
      evaluators_[side].run(columns_[side], kChunk, rows_, values[side].data());
    for (std::size_t row = 0; row < rows_; ++row) {
      last_.clear();
      for (const auto& side : values) last_.push_back(side[row]);
      const bool is_defined =
          std::none_of(last_.begin(), last_.end(), [](double value) { return std::isnan(value); });
      thetas_.push_back(is_defined ? study_.theta(last_) : formula::kUndefined);
    }
    rows_ = 0;
  }

  const Study& study_;
  std::vector<std::vector<double>> sums_, weights_, columns_;  // by side
  std::vector<Values> evaluators_;
  std::size_t rows_ = 0;
  std::vector<double> thetas_, last_;
};

Study::Study(const formula::Program& program, std::size_t formula, const Design& design,
             const Redraw& redraw, const std::vector<const Answers*>& sides,
             std::optional<double> on_undefined)
    : program_(program),
      formula_(formula),
      design_(design),
      redraw_(redraw),
      on_undefined_(on_undefined),
      plan_(make_plan(program, formula, design)) {
  std::vector<const Weighted*> all;
  for (const Answers* side : sides) {
    weighted_.push_back(std::make_unique<Weighted>(program, plan_, design, *side));
    all.push_back(weighted_.back().get());
  }
  other_ = std::make_unique<FormulaDraws>(About::other_evals, plan_, design, redraw, all);
  rerun_ = std::make_unique<FormulaDraws>(About::rerun, plan_, design, redraw, all);
  Deletions none(*this);
  none.add();
  plain_ = none.last();
}

// Of the value, by leaving out one part at a time.
double Study::variance(std::vector<double> thetas, std::size_t size) const {
  std::erase_if(thetas, [](double value) { return std::isnan(value); });
  double largest = 0;
  for (const double value : plain_)
    if (!std::isnan(value)) largest = std::max(largest, std::abs(value));
  // Only ratios of variances count, and squares of very large values would overflow.
  if (largest > 0)
    for (double& theta : thetas) theta /= largest;
  if (thetas.empty()) return 0;
  const double middle = mean(thetas);
  double squares = 0;
  for (const double theta : thetas) squares += (theta - middle) * (theta - middle);
  const auto n = static_cast<double>(size);
  const double v = (n - 1) / n * squares;
  return v <= kNegligible ? 0 : v;
}

bool Study::is_slow_to_delete() const {
  return std::any_of(weighted_.begin(), weighted_.end(), [](const auto& side) {
    return side->weighs_answers() && side->answers().size() > kMostOrdered;
  });
}

Spread Study::other_spread() const {
  std::vector<double> variances;
  // With one stratum, its variance does not matter.
  if (plan_.strata.size() == 1 || is_slow_to_delete()) {
    for (const auto& stratum : plan_.strata)
      variances.push_back(static_cast<double>(stratum.size()));
    return spread_of(variances);
  }
  Deletions deletions(*this);
  for (const auto& stratum : plan_.strata) {
    double answers = 0;
    for (const std::uint32_t unit : stratum) answers += other_->counted(unit);
    std::vector<std::vector<double>> inside;  // by side: the sums of the stratum
    for (std::size_t side = 0; side < weighted_.size(); ++side) {
      auto& sums = inside.emplace_back(weighted(side).sums());
      for (const std::uint32_t unit : stratum) weighted(side).of_unit(unit).add_to(sums, 1);
    }
    const auto set_weights = [&](std::uint32_t unit, std::size_t side, double weight) {
      auto& weights = deletions.weights(side);
      if (weights.empty()) return;
      const Answers& of = weighted(side).answers();
      const Unit& questions = design_.units[unit];
      for (std::uint32_t q = questions.first; q < questions.first + questions.count; ++q)
        std::fill(weights.begin() + of.begin(q), weights.begin() + of.end(q),
                  weight * of.weight(q));
    };
    for (const std::uint32_t unit : stratum) {
      const double rest = answers / (answers - other_->counted(unit));
      for (std::size_t side = 0; side < weighted_.size(); ++side) {
        const auto of = weighted(side).of_unit(unit);
        const auto totals = weighted(side).totals();
        auto& sums = deletions.sums(side);
        for (std::size_t i = 0; i < of.sums.size(); ++i) {
          const std::uint32_t k = of.sums[i];
          sums[k] = totals[k] - inside[side][k] + rest * (inside[side][k] - of.values[i]);
        }
        if (weighted(side).weighs_answers())
          for (const std::uint32_t other : stratum)
            set_weights(other, side, other == unit ? 0 : rest);
      }
      deletions.add();
    }
    variances.push_back(variance(deletions.take(), stratum.size()));
    for (std::size_t side = 0; side < weighted_.size(); ++side) {
      const auto totals = weighted(side).totals();
      deletions.sums(side).assign(totals.begin(), totals.end());
      if (weighted(side).weighs_answers())
        for (const std::uint32_t unit : stratum) set_weights(unit, side, 1);
    }
  }
  return spread_of(variances);
}

Spread Study::spread_of(std::vector<double> variances) const {
  const auto size = [&](std::size_t s) { return static_cast<double>(plan_.strata[s].size()); };
  double whole = 0;
  for (const double v : variances) whole += v;
  if (whole == 0)
    for (std::size_t s = 0; s < variances.size(); ++s) whole += variances[s] = size(s);
  double squared = 0, inverse = 0;
  for (std::size_t s = 0; s < variances.size(); ++s) {
    const double share = variances[s] / whole;
    squared += share * ((size(s) + 1) / (size(s) - 1));
    inverse += share * share / (size(s) - 1);
  }
  return {std::sqrt(squared), 1 / inverse};
}

Spread Study::rerun_spread() const {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  struct Part {
    double variance, answers;
    bool is_unnamed;
  };
  std::vector<Part> parts;
  Deletions deletions(*this);
  const bool is_slow = is_slow_to_delete();
  for (std::size_t side = 0; side < weighted_.size(); ++side) {
    const Weighted& weighted = this->weighted(side);
    const Answers& answers = weighted.answers();
    auto& sums = deletions.sums(side);
    auto& weights = deletions.weights(side);
    for (const std::uint32_t unit : plan_.used) {
      const std::uint32_t eval = design_.units[unit].eval;
      const bool is_unnamed =
          design_.is_by_case[eval] != 0 ||
          std::find(plan_.named.begin(), plan_.named.end(), eval) == plan_.named.end();
      const Unit& of = design_.units[unit];
      for (std::uint32_t question = of.first; question < of.first + of.count; ++question) {
        if (!redraw_.is_redrawn(question)) continue;
        const std::uint32_t count = answers.count(question), begin = answers.begin(question);
        const double r = count, weight = answers.weight(question), factor = weight * (r / (r - 1));
        if (is_slow) {
          parts.push_back({1, r, is_unnamed});
          continue;
        }
        const auto whole = weighted.of_question(question);
        const auto totals = weighted.totals();
        for (std::uint32_t answer = begin; answer < begin + count; ++answer) {
          const auto left_out = weighted.of_answer(answer);
          for (std::size_t i = 0; i < whole.sums.size(); ++i) {
            const double all = whole.values[i];
            const std::uint32_t k = whole.sums[i];
            sums[k] = totals[k] - all + factor * (all / weight - left_out.values[i]);
          }
          if (!weights.empty()) {
            std::fill_n(weights.begin() + begin, count, factor);
            weights[answer] = 0;
          }
          deletions.add();
        }
        for (const std::uint32_t k : whole.sums) sums[k] = totals[k];
        if (!weights.empty()) std::fill_n(weights.begin() + begin, count, weight);
        parts.push_back({variance(deletions.take(), count), r, is_unnamed});
      }
    }
  }
  if (std::none_of(parts.begin(), parts.end(), [](const Part& part) { return part.is_unnamed; }))
    return {1, kInfinite};
  double whole = 0, inverse = 0;
  for (const Part& part : parts) whole += part.variance;
  if (whole == 0) return {1, kLeastFreedom};
  for (const Part& part : parts)
    if (part.is_unnamed)
      inverse += part.variance / whole * (part.variance / whole) / (part.answers - 1);
  return {1, inverse > 0 ? std::max(kLeastFreedom, 1 / inverse) : kInfinite};
}

Spread Study::spread(About about) const {
  return about == About::other_evals ? other_spread() : rerun_spread();
}

double tail(const Spread& spread, double level, double least) {
  const double exact = normal_cdf(-spread.factor * t_quantile((1 + level) / 2, spread.freedom));
  return rounded(std::max(least, exact));
}

double order_statistic(std::vector<double>& values, double place) {
  const double below = std::floor(place);
  const auto at = [&](double number) {
    const double clamped = std::clamp(number, 1.0, static_cast<double>(values.size()));
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(clamped) - 1;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  };
  const double low = at(below), high = at(below + 1);
  return low + (high - low) * (place - below);
}

namespace {

constexpr std::size_t kMostParts = 64;  // for threads: each compiles the formulas once

// `undefined` gets the program's inputs of the first row without a value, unless it has some.
void evaluate_chunk(const Study& study, std::span<const double> columns, std::size_t rows,
                    Values& values, std::span<double> out, std::vector<double>& undefined) {
  const std::size_t inputs = study.plan().inputs.size(), sides = study.sides();
  std::vector<std::vector<double>> by_side(sides, std::vector<double>(rows));
  for (std::size_t side = 0; side < sides; ++side)
    values.run(columns.subspan(side * inputs * kChunk), kChunk, rows, by_side[side].data());
  std::vector<double> of_row(sides);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t side = 0; side < sides; ++side) of_row[side] = by_side[side][row];
    out[row] = study.theta(of_row);
    if (!std::isnan(out[row]) || !undefined.empty()) continue;
    const std::size_t side = std::isnan(of_row[0]) ? 0 : sides - 1;
    undefined.assign(study.program().inputs.size(), formula::kUndefined);
    for (std::size_t i = 0; i < inputs; ++i)
      undefined[study.plan().inputs[i].input] = columns[(side * inputs + i) * kChunk + row];
  }
}

}  // namespace

std::vector<Drawn> draw(std::span<const Wanted> wanted, std::size_t count,
                        const Parallel& parallel) {
  std::vector<Drawn> out(wanted.size());
  if (wanted.empty()) return out;
  for (Drawn& drawn : out) drawn.values.resize(count);
  const Redraw& redraw = wanted.front().study->redraw();
  std::vector<std::uint32_t> questions;
  for (const Wanted& one : wanted) {
    const auto& picked = one.study->draws(one.about).picked();
    questions.insert(questions.end(), picked.begin(), picked.end());
  }
  const auto picked = redraw.pick_blocks(questions);

  struct Part {
    std::vector<std::unique_ptr<Values>> values;  // by wanted
    std::vector<std::vector<double>> undefined;   // by wanted: the program's inputs
  };
  const std::size_t chunks = (count + kChunk - 1) / kChunk;
  std::vector<Part> parts(std::min(chunks, kMostParts));
  parallel(parts.size(), [&](std::size_t number) {
    Part& part = parts[number];
    std::vector<std::vector<double>> columns;  // by wanted: by side, input and row of the chunk
    std::vector<double> lanes;
    for (const Wanted& one : wanted) {
      const Study& study = *one.study;
      part.values.push_back(
          std::make_unique<Values>(study.program(), study.formula(), study.plan()));
      part.undefined.emplace_back();
      columns.emplace_back(study.sides() * study.plan().inputs.size() * kChunk);
    }
    Block block;
    for (std::size_t chunk = number; chunk < chunks; chunk += parts.size()) {
      const std::size_t first = chunk * kChunk, rows = std::min(kChunk, count - first);
      for (std::size_t row = 0; row < rows; row += kLanes) {
        redraw.fill(static_cast<std::uint32_t>(first + row), picked, block);
        for (std::size_t w = 0; w < wanted.size(); ++w) {
          const std::size_t count_of = columns[w].size() / kChunk;
          lanes.resize(count_of * kLanes);
          wanted[w].study->draws(wanted[w].about).fill(block, lanes);
          for (std::size_t column = 0; column < count_of; ++column)
            std::copy_n(lanes.data() + column * kLanes, kLanes,
                        columns[w].data() + column * kChunk + row);
        }
      }
      for (std::size_t w = 0; w < wanted.size(); ++w)
        evaluate_chunk(*wanted[w].study, columns[w], rows, *part.values[w],
                       std::span(out[w].values).subspan(first, rows), part.undefined[w]);
    }
  });
  for (const Part& part : parts)
    for (std::size_t w = 0; w < wanted.size(); ++w) {
      auto& signs = out[w].signs;
      const auto& seen = part.values[w]->signs();
      signs.resize(seen.size());
      for (std::size_t i = 0; i < signs.size(); ++i) {
        signs[i].above = signs[i].above || seen[i].above;
        signs[i].below = signs[i].below || seen[i].below;
      }
      if (out[w].undefined.empty()) out[w].undefined = part.undefined[w];
    }
  return out;
}

}  // namespace vibe::statistics
