#include "statistics/contributions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "statistics/random.h"

namespace vibe::statistics {

namespace {

constexpr std::size_t kAllOrders = 8, kAllSubsetsOfTerms = 12;  // parts: exact up to here
constexpr std::size_t kPairs = 500, kMostPairs = 5'000;         // of orders, each with its reverse
constexpr double kCloseEnough = 0.01;                           // standard error / difference

// A game: parts that pass from base to candidate one after the other, and the score each time.
class Game {
 public:
  virtual ~Game() = default;
  virtual std::size_t size() const = 0;
  virtual void reset() = 0;                               // all parts are the base's
  virtual void pass(std::size_t part, bool forward) = 0;  // to the candidate, or back
  virtual void add() = 0;                                 // the score as it is now
  virtual std::vector<double> take() = 0;                 // the scores, in order
};

bool is_any_undefined(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
}

// From all subsets, in the order of a Gray code: each differs from the one before in one part.
std::optional<std::vector<Contribution>> from_subsets(Game& game) {
  const std::size_t n = game.size(), subsets = std::size_t{1} << n;
  const auto gray = [](std::size_t i) { return i ^ (i >> 1U); };
  game.reset();
  for (std::size_t i = 0; i < subsets; ++i) {
    if (i > 0) {
      const std::size_t changed = gray(i) ^ gray(i - 1);
      const auto part = static_cast<std::size_t>(std::countr_zero(changed));
      game.pass(part, (gray(i) & changed) != 0);
    }
    game.add();
  }
  const auto in_order = game.take();
  if (is_any_undefined(in_order)) return std::nullopt;
  std::vector<double> values(subsets);
  for (std::size_t i = 0; i < subsets; ++i) values[gray(i)] = in_order[i];

  std::vector<double> shares(n);  // by size of the subset: 1 / (n * (n - 1 over size))
  double ways = 1;
  for (std::size_t size = 0; size < n; ++size) {
    shares[size] = 1 / (static_cast<double>(n) * ways);
    ways = ways * static_cast<double>(n - 1 - size) / static_cast<double>(size + 1);
  }
  std::vector<Contribution> out(n);
  for (std::size_t part = 0; part < n; ++part)
    for (std::size_t subset = 0; subset < subsets; ++subset)
      if (((subset >> part) & 1U) == 0)
        out[part].value += shares[static_cast<std::size_t>(std::popcount(subset))] *
                           (values[subset | std::size_t{1} << part] - values[subset]);
  return out;
}

std::vector<std::uint32_t> random_order(std::size_t size, std::uint64_t seed,
                                        std::uint32_t number) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  const Random random(seed, number);
  Words words{};
  for (std::size_t k = 0; k + 1 < size; ++k) {
    if (k % 4 == 0) words = random.block(Stream::orders, static_cast<std::uint32_t>(k / 4));
    std::swap(order[k], order[k + below(words[k % 4], size - k)]);
  }
  return order;
}

// Means over random orders.
class Sampled {
 public:
  explicit Sampled(std::size_t parts) : sums_(parts), squares_(parts), steps_(parts) {}

  // `scores` of an order and of its reverse, one after the other.
  void add(std::span<const std::uint32_t> order, std::span<const double> scores) {
    const std::size_t n = order.size();
    difference_ = std::abs(scores[n] - scores[0]);
    for (std::size_t k = 0; k < n; ++k) steps_[order[k]] = (scores[k + 1] - scores[k]) / 2;
    const auto reverse = scores.subspan(n + 1);
    for (std::size_t k = 0; k < n; ++k)
      steps_[order[n - 1 - k]] += (reverse[k + 1] - reverse[k]) / 2;
    for (std::size_t part = 0; part < n; ++part) {
      sums_[part] += steps_[part];
      squares_[part] += steps_[part] * steps_[part];
    }
    count_ += 1;
  }

  std::vector<Contribution> contributions() const {
    std::vector<Contribution> out(sums_.size());
    for (std::size_t part = 0; part < out.size(); ++part) {
      const double value = sums_[part] / count_;
      const double variance = std::max(0.0, squares_[part] / count_ - value * value);
      out[part].value = value;
      out[part].error = std::sqrt(variance / (count_ - 1));
    }
    return out;
  }
  bool is_close(std::span<const Contribution> contributions) const {
    return std::all_of(contributions.begin(), contributions.end(),
                       [&](const auto& one) { return one.error < kCloseEnough * difference_; });
  }

 private:
  std::vector<double> sums_, squares_, steps_;  // by part
  double difference_ = 0, count_ = 0;
};

// From random orders, each with its reverse. Stops when the errors are small.
std::optional<std::vector<Contribution>> from_orders(Game& game, std::uint64_t seed) {
  const std::size_t n = game.size();
  Sampled sampled(n);
  for (std::uint32_t pair = 0;;) {
    const auto order = random_order(n, seed, pair);
    for (const bool is_reversed : {false, true}) {
      game.reset();
      game.add();
      for (std::size_t k = 0; k < n; ++k) {
        game.pass(order[is_reversed ? n - 1 - k : k], true);
        game.add();
      }
    }
    const auto scores = game.take();
    if (is_any_undefined(scores)) return std::nullopt;
    sampled.add(order, scores);
    if (++pair % kPairs != 0) continue;
    auto out = sampled.contributions();
    if (sampled.is_close(out) || pair >= kMostPairs) return out;
  }
}

std::optional<std::vector<Contribution>> solve(Game& game, std::size_t most_exact,
                                               std::uint64_t seed) {
  if (game.size() == 0) return std::vector<Contribution>{};
  return game.size() <= most_exact ? from_subsets(game) : from_orders(game, seed);
}

// Scores of rows of inputs, a block at a time.
class Scorer {
 public:
  explicit Scorer(const Pool& pool)
      : pool_(pool),
        values_(pool.program(), pool.formula(), pool.plan()),
        columns_(pool.plan().inputs.size() * kBlock) {}

  void add(std::span<const double> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) columns_[i * kBlock + rows_] = inputs[i];
    if (++rows_ == kBlock) evaluate();
  }
  std::vector<double> take() {
    evaluate();
    return std::exchange(scores_, {});
  }

 private:
  static constexpr std::size_t kBlock = 256;

  void evaluate() {
    if (rows_ == 0) return;
    const std::size_t before = scores_.size();
    scores_.resize(before + rows_);
    values_.run(columns_, kBlock, rows_, scores_.data() + before);
    for (std::size_t i = before; i < scores_.size(); ++i) scores_[i] = pool_.defined(scores_[i]);
    rows_ = 0;
  }

  const Pool& pool_;
  Values values_;
  std::vector<double> columns_, scores_;
  std::size_t rows_ = 0;
};

class EvalGame final : public Game {
 public:
  explicit EvalGame(const Pool& pool)
      : pool_(pool), scorer_(pool), now_(pool.nobody()), inputs_(pool.plan().inputs.size()) {
    for (const std::uint32_t unit : pool.plan().used) {
      const std::uint32_t eval = pool.design().units[unit].eval;
      if (evals_.empty() || evals_.back() != eval) {
        evals_.push_back(eval);
        questions_.emplace_back();
      }
      for (const std::uint32_t question : pool.questions_of_unit(unit))
        questions_.back().push_back(question);
    }
    // What passing an eval changes: the candidate's sums less the base's.
    for (const auto& questions : questions_) {
      Pool::Side change = pool.nobody();
      for (const std::uint32_t question : questions) {
        pool.give_question(question, 0, -1, change);
        pool.give_question(question, 1, 1, change);
      }
      auto& sparse = changes_.emplace_back();
      for (std::uint32_t k = 0; k < change.sums.size(); ++k)
        if (change.sums[k] != 0) sparse.emplace_back(k, change.sums[k]);
    }
    start_ = pool.as_given()[0];
  }

  const std::vector<std::uint32_t>& evals() const { return evals_; }
  std::size_t size() const override { return evals_.size(); }
  void reset() override { now_ = start_; }
  void pass(std::size_t part, bool forward) override {
    for (const auto& [k, change] : changes_[part]) now_.sums[k] += forward ? change : -change;
    if (now_.weights.empty()) return;
    for (const std::uint32_t question : questions_[part]) {
      const std::uint32_t begin = pool_.begin(question), count = pool_.count(question);
      const std::uint32_t of_base = pool_.count_of_base(question);
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::size_t side = i < of_base ? 0 : 1;
        const bool counts = (side == 1) == forward;
        now_.weights[begin + i] = counts ? pool_.weight(side, question) : 0;
      }
    }
  }
  void add() override {
    pool_.values(now_, inputs_);
    scorer_.add(inputs_);
  }
  std::vector<double> take() override { return scorer_.take(); }

 private:
  const Pool& pool_;
  Scorer scorer_;
  std::vector<std::uint32_t> evals_;
  std::vector<std::vector<std::uint32_t>> questions_;                   // by part
  std::vector<std::vector<std::pair<std::uint32_t, double>>> changes_;  // by part: sums
  Pool::Side start_, now_;
  std::vector<double> inputs_;
};

class TermGame final : public Game {
 public:
  explicit TermGame(const Pool& pool) : scorer_(pool), pool_(pool) {
    const auto given = pool.as_given();
    for (std::size_t side = 0; side < 2; ++side) {
      values_[side].resize(pool.plan().inputs.size());
      pool.values(given[side], values_[side]);
    }
    for (std::uint32_t i = 0; i < values_[0].size(); ++i)
      if (!(values_[0][i] == values_[1][i]) &&
          !(std::isnan(values_[0][i]) && std::isnan(values_[1][i])))
        terms_.push_back(i);
    now_ = values_[0];
  }

  void describe(std::size_t part, Contribution& out) const {
    out.part = pool_.plan().inputs[terms_[part]].input;
    out.base = values_[0][terms_[part]];
    out.candidate = values_[1][terms_[part]];
  }
  std::size_t size() const override { return terms_.size(); }
  void reset() override { now_ = values_[0]; }
  void pass(std::size_t part, bool forward) override {
    now_[terms_[part]] = values_[forward ? 1 : 0][terms_[part]];
  }
  void add() override { scorer_.add(now_); }
  std::vector<double> take() override { return scorer_.take(); }

 private:
  Scorer scorer_;
  const Pool& pool_;
  std::array<std::vector<double>, 2> values_;  // by side: of the plan's inputs
  std::vector<std::uint32_t> terms_;           // places in the plan's inputs
  std::vector<double> now_;
};

}  // namespace

std::optional<std::vector<Contribution>> eval_contributions(const Pool& pool, std::uint64_t seed) {
  EvalGame game(pool);
  // If every step weighs each answer, many evals would take minutes.
  constexpr double kMostWeighed = 1e9;
  const double weighed = 2.0 * kPairs * static_cast<double>(game.size()) *
                         static_cast<double>(pool.nobody().weights.size());
  if (weighed > kMostWeighed) return std::nullopt;
  auto out = solve(game, kAllOrders, seed);
  for (std::size_t i = 0; out && i < out->size(); ++i) (*out)[i].part = game.evals()[i];
  return out;
}

std::optional<std::vector<Contribution>> term_contributions(const Pool& pool, std::uint64_t seed) {
  TermGame game(pool);
  auto out = solve(game, kAllSubsetsOfTerms, seed);
  for (std::size_t i = 0; out && i < out->size(); ++i) game.describe(i, (*out)[i]);
  return out;
}

}  // namespace vibe::statistics
