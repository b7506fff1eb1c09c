#include "fitness/logistic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"

namespace vibe::fitness {

namespace {

constexpr int kMostSteps = 100, kMostSweeps = 500, kMostHalvings = 40;
constexpr double kIntercept = 1e-8;  // its penalty: even a single outcome has a minimum

double log_loss(double predictor, bool good) {
  const double margin = good ? predictor : -predictor;
  return margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
}

double predict(const Fit& fit, std::span<const double> row) {
  double sum = fit.intercept;
  for (std::size_t j = 0; j < row.size(); ++j) sum += fit.weights[j] * row[j];
  return sum;
}

double loss(const Outcomes& outcomes, const Fit& fit) {
  double sum = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    sum += log_loss(predict(fit, outcomes.row(i)), outcomes.good[i] != 0);
  return sum;
}

double objective(const Outcomes& outcomes, const Fit& fit, double penalty) {
  double squares = 0;
  for (const double weight : fit.weights) squares += weight * weight;
  return loss(outcomes, fit) + penalty / 2 * squares +
         kIntercept / 2 * fit.intercept * fit.intercept;
}

// Gradient and Hessian of the objective; the intercept is the last coordinate.
struct Slope {
  std::vector<double> gradient, hessian;
};

Slope slope_at(const Outcomes& outcomes, const Fit& fit, double penalty) {
  const std::size_t columns = outcomes.columns, size = columns + 1;
  Slope out{std::vector<double>(size), std::vector<double>(size * size)};
  std::vector<double> x(size, 1);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto row = outcomes.row(i);
    std::copy(row.begin(), row.end(), x.begin());
    const double likely = 1 / (1 + std::exp(-predict(fit, row)));
    const double residual = likely - outcomes.good[i], curve = likely * (1 - likely);
    for (std::size_t j = 0; j < size; ++j) {
      out.gradient[j] += residual * x[j];
      for (std::size_t k = 0; k <= j; ++k) out.hessian[j * size + k] += curve * x[j] * x[k];
    }
  }
  for (std::size_t j = 0; j < size; ++j) {
    const double held = j < columns ? penalty : kIntercept;
    out.gradient[j] += held * (j < columns ? fit.weights[j] : fit.intercept);
    out.hessian[j * size + j] += held;
    for (std::size_t k = 0; k < j; ++k) out.hessian[k * size + j] = out.hessian[j * size + k];
  }
  return out;
}

// The step to the minimum of the quadratic within the bounds, one coordinate at a time.
std::vector<double> newton_step(const Slope& slope, const Fit& fit) {
  const std::size_t columns = fit.weights.size(), size = columns + 1;
  std::vector<double> step(size);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double moved = 0;
    for (std::size_t j = 0; j < size; ++j) {
      double pull = slope.gradient[j];
      for (std::size_t k = 0; k < size; ++k) pull += slope.hessian[j * size + k] * step[k];
      double next = step[j] - pull / slope.hessian[j * size + j];
      if (j < columns) next = std::max(next, -fit.weights[j]);
      moved = std::max(moved, std::fabs(next - step[j]));
      step[j] = next;
    }
    if (moved < 1e-10) break;
  }
  return step;
}

Fit moved(const Fit& from, std::span<const double> step, double share) {
  Fit out = from;
  for (std::size_t j = 0; j < out.weights.size(); ++j)
    out.weights[j] = std::max(0.0, out.weights[j] + share * step[j]);
  out.intercept += share * step.back();
  return out;
}

}  // namespace

Fit fit_logistic(const Outcomes& outcomes, double penalty, const Fit* start) {
  Fit fit = start ? *start : Fit{std::vector<double>(outcomes.columns), 0, penalty};
  fit.penalty = penalty;
  double at = objective(outcomes, fit, penalty);
  for (int i = 0; i < kMostSteps; ++i) {
    const auto step = newton_step(slope_at(outcomes, fit, penalty), fit);
    double share = 1;
    Fit next = moved(fit, step, share);
    double then = objective(outcomes, next, penalty);
    for (int halving = 0; !(then <= at) && halving < kMostHalvings; ++halving) {
      share /= 2;
      next = moved(fit, step, share);
      then = objective(outcomes, next, penalty);
    }
    if (!(then <= at)) break;  // only rounding errors are left
    const double gained = at - then;
    fit = std::move(next);
    at = then;
    if (gained <= 1e-12 * (1 + std::fabs(at))) break;
  }
  return fit;
}

std::vector<std::size_t> folds(std::span<const std::uint8_t> good, std::size_t count,
                               std::uint64_t seed) {
  std::vector<std::size_t> order(good.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  base::SplitMix64 random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  std::vector<std::size_t> out(good.size());
  std::size_t next[2] = {0, 0};
  for (const std::size_t i : order) out[i] = next[good[i] != 0 ? 1 : 0]++ % count;
  return out;
}

Outcomes part_of(const Outcomes& all, std::span<const std::size_t> fold, std::size_t which,
                 bool inside) {
  Outcomes out{all.columns, {}, {}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((fold[i] == which) != inside) continue;
    const auto row = all.row(i);
    out.rows.insert(out.rows.end(), row.begin(), row.end());
    out.good.push_back(all.good[i]);
  }
  return out;
}

Fit fit_cross_validated(const Outcomes& outcomes, std::uint64_t seed) {
  const auto fold = folds(outcomes.good, kFolds, seed);
  std::vector<double> losses(std::size(kPenalties));
  for (std::size_t which = 0; which < kFolds; ++which) {
    const Outcomes known = part_of(outcomes, fold, which, false);
    const Outcomes unseen = part_of(outcomes, fold, which, true);
    Fit fit{std::vector<double>(outcomes.columns), 0, 0};
    for (std::size_t p = 0; p < losses.size(); ++p) {  // strictest first; each fit starts the next
      fit = fit_logistic(known, kPenalties[p], &fit);
      losses[p] += loss(unseen, fit);
    }
  }
  const auto best = std::min_element(losses.begin(), losses.end()) - losses.begin();
  return fit_logistic(outcomes, kPenalties[best]);
}

}  // namespace vibe::fitness
