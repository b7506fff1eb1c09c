#include "fitness/calibrate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "fitness/logistic.h"
#include "fitness/score.h"

namespace vibe::fitness {

namespace {

using Weights = std::vector<double>;  // of each term; a negative weight subtracts points

Separation separation(std::string name, std::span<const Labelled> executions,
                      std::optional<double> (*figure)(const Labelled&, std::size_t),
                      std::size_t which) {
  std::vector<double> figures;
  std::vector<std::uint8_t> outcomes;
  for (const Labelled& one : executions)
    if (const auto value = figure(one, which)) {
      figures.push_back(*value);
      outcomes.push_back(one.good ? 1 : 0);
    }
  return {std::move(name), figures.size(), auc(figures, outcomes),
          rank_correlation(figures, outcomes)};
}

std::vector<Separation> separations(std::span<const Labelled> executions) {
  std::vector<Separation> out;
  out.push_back(separation(
      "score", executions, [](const Labelled& one, std::size_t) { return one.score; }, 0));
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    out.push_back(separation(
        std::string(kSignals[i].name), executions,
        [](const Labelled& one, std::size_t which) { return one.signals[which].value; }, i));
  return out;
}

// The term values of every execution with a score.
struct TermTable {
  std::vector<std::vector<std::optional<double>>> rows;
  std::vector<std::uint8_t> good;
};

TermTable term_table(std::span<const Labelled> executions, const Rubric& rubric) {
  TermTable out;
  for (const Labelled& one : executions) {
    const Fitness fitness = score(one.signals, rubric);
    if (fitness.terms.empty()) continue;
    auto& row = out.rows.emplace_back();
    for (const Term& term : fitness.terms) row.push_back(term.value);
    out.good.push_back(one.good ? 1 : 0);
  }
  return out;
}

// The rows that are not in a fold.
TermTable outside(const TermTable& table, std::span<const std::size_t> fold, std::size_t which) {
  TermTable out;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (fold[i] == which) continue;
    out.rows.push_back(table.rows[i]);
    out.good.push_back(table.good[i]);
  }
  return out;
}

// The score under `undefined: rescale` (score.h), before factor and rounding, which do not change
// the order.
std::optional<double> score_by(const Weights& weights,
                               std::span<const std::optional<double>> terms) {
  double given = 0, taken = 0, all = 0, kept = 0;
  for (std::size_t j = 0; j < terms.size(); ++j) {
    if (weights[j] > 0) all += weights[j];
    if (!terms[j]) continue;
    if (weights[j] > 0) kept += weights[j];
    (weights[j] > 0 ? given : taken) += weights[j] * *terms[j];
  }
  if (kept <= 0) return std::nullopt;
  return given * (all / kept) + taken;
}

// The columns that can be fitted, with gaps filled in, and with signs such that higher is better.
struct Columns {
  std::vector<std::size_t> terms;  // their indexes in the formula
  Outcomes outcomes;
};

Columns columns_of(const TermTable& table, const Weights& before) {
  Columns out;
  std::vector<double> means;
  for (std::size_t j = 0; j < before.size(); ++j) {
    double sum = 0, least = kNoLimit, most = -kNoLimit;
    std::size_t known = 0;
    for (const auto& row : table.rows) {
      if (!row[j]) continue;
      sum += *row[j];
      least = std::min(least, *row[j]);
      most = std::max(most, *row[j]);
      ++known;
    }
    if (!(least < most)) continue;
    out.terms.push_back(j);
    means.push_back(sum / static_cast<double>(known));
  }
  out.outcomes.columns = out.terms.size();
  out.outcomes.good = table.good;
  for (const auto& row : table.rows)
    for (std::size_t c = 0; c < out.terms.size(); ++c) {
      const double value = row[out.terms[c]].value_or(means[c]);
      out.outcomes.rows.push_back(before[out.terms[c]] < 0 ? -value : value);
    }
  return out;
}

double magnitude(const Weights& weights, std::span<const std::size_t> terms) {
  double sum = 0;
  for (const std::size_t j : terms) sum += std::fabs(weights[j]);
  return sum;
}

// The formula's weights from a fit, with the same sum as before. Unchanged if the fit found no
// useful term.
Weights by_fit(const Weights& before, const Columns& columns, const Fit& fit) {
  const double sum = std::accumulate(fit.weights.begin(), fit.weights.end(), 0.0);
  if (sum <= 0) return before;
  const double scale = magnitude(before, columns.terms) / sum;
  Weights out = before;
  for (std::size_t c = 0; c < columns.terms.size(); ++c) {
    const std::size_t j = columns.terms[c];
    out[j] = std::copysign(fit.weights[c] * scale, before[j]);
  }
  return out;
}

// Rounds to thousandths of the total weight. The sum of `terms` is preserved: what rounding down
// loses goes to the weights that lost most.
Weights rounded(const Weights& weights, std::span<const std::size_t> terms) {
  double all_weights = 0;
  for (const double weight : weights) all_weights += std::fabs(weight);
  const int digits = 3 - static_cast<int>(std::floor(std::log10(all_weights) + 1e-9));
  const double sum = magnitude(weights, terms);
  const double units_in_one = std::pow(10.0, digits);
  const auto all = std::llround(sum * units_in_one);
  Weights out = weights;
  std::vector<std::size_t> by_loss(terms.begin(), terms.end());
  const auto units = [&](std::size_t j) { return std::fabs(weights[j]) * units_in_one; };
  const auto loss = [&](std::size_t j) { return units(j) - std::floor(units(j) + 1e-9); };
  std::sort(by_loss.begin(), by_loss.end(), [&](std::size_t a, std::size_t b) {
    return loss(a) != loss(b) ? loss(a) > loss(b) : a < b;
  });
  long long used = 0;
  for (const std::size_t j : terms) used += std::llround(std::floor(units(j) + 1e-9));
  for (const std::size_t j : by_loss) {
    const double more = used < all ? 1 : 0;
    used += used < all ? 1 : 0;
    out[j] = std::copysign((std::floor(units(j) + 1e-9) + more) / units_in_one, weights[j]);
  }
  return out;
}

struct OutOfFoldScores {
  std::vector<double> before, after;  // scores
  std::vector<std::uint8_t> good;
};

// Scores each execution with weights that were fitted without it. If it has no score under either
// set of weights, it is left out of both.
OutOfFoldScores out_of_fold(const TermTable& table, const Weights& before) {
  const auto fold = folds(table.good, kFolds, kCalibrationSeed);
  std::vector<Weights> weights;
  for (std::size_t which = 0; which < kFolds; ++which) {
    const Columns columns = columns_of(outside(table, fold, which), before);
    weights.push_back(
        columns.terms.empty()
            ? before
            : by_fit(before, columns, fit_cross_validated(columns.outcomes, kCalibrationSeed + 1)));
  }
  OutOfFoldScores out;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto old_score = score_by(before, table.rows[i]);
    const auto new_score = score_by(weights[fold[i]], table.rows[i]);
    if (!old_score || !new_score) continue;
    out.before.push_back(*old_score);
    out.after.push_back(*new_score);
    out.good.push_back(table.good[i]);
  }
  return out;
}

bool needs_parentheses(const formula::Formula& formula, const WeightedSum::Term& term) {
  switch (formula.tree.nodes[term.node].op) {
    case formula::Op::input:
    case formula::Op::metric:
    case formula::Op::call: return false;
    default: return true;
  }
}

// The formula with other weights; terms with weight 0 are omitted.
std::string with_weights(const formula::Formula& formula, const WeightedSum& sum,
                         const Weights& weights) {
  std::string terms;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    const bool takes = weights[j] < 0;
    terms += terms.empty() ? (takes ? "-" : "") : (takes ? " - " : " + ");
    const std::string text = text_of(formula, sum.terms[j]);
    terms += fmt::format("{} * ", std::fabs(weights[j]));
    terms += needs_parentheses(formula, sum.terms[j]) ? "(" + text + ")" : text;
  }
  if (sum.factor != 1) terms = fmt::format("{} * ({})", sum.factor, terms);
  return sum.digits ? fmt::format("round({}, {})", terms, *sum.digits) : terms;
}

std::string too_few(std::size_t good, std::size_t bad) {
  return fmt::format(
      "fitting weights needs at least {} good and {} bad outcomes; there are {} and {}",
      kLeastOutcomes, kLeastOutcomes, good, bad);
}

void fit_weights(std::span<const Labelled> executions, const Rubric& rubric, Calibration& out) {
  if (!rubric.sum) {
    out.why_not = "the rubric's formula is not a sum of NUMBER * term";
    return;
  }
  const TermTable table = term_table(executions, rubric);
  const auto good =
      static_cast<std::size_t>(std::count(table.good.begin(), table.good.end(), std::uint8_t{1}));
  if (std::min(good, table.good.size() - good) < kLeastOutcomes) {
    out.why_not = too_few(good, table.good.size() - good);
    return;
  }
  Weights before;
  for (const auto& term : rubric.sum->terms) before.push_back(term.weight);
  const Columns columns = columns_of(table, before);
  if (columns.terms.empty() || magnitude(before, columns.terms) <= 0) {
    out.why_not = "every term of the formula is the same in all executions";
    return;
  }
  const Fit fit = fit_cross_validated(columns.outcomes, kCalibrationSeed + 1);
  if (std::accumulate(fit.weights.begin(), fit.weights.end(), 0.0) <= 0) {
    out.why_not = "no term of the formula is higher for good outcomes";
    return;
  }
  const Weights after = rounded(by_fit(before, columns, fit), columns.terms);
  const auto& formula = rubric.program.score();
  for (std::size_t j = 0; j < before.size(); ++j)
    out.terms.push_back({text_of(formula, rubric.sum->terms[j]), before[j], after[j], false});
  for (const std::size_t j : columns.terms) out.terms[j].fitted = true;
  out.fitted_on = table.rows.size();
  out.with_gaps = static_cast<std::size_t>(
      std::count_if(table.rows.begin(), table.rows.end(), [&](const auto& row) {
        return std::any_of(columns.terms.begin(), columns.terms.end(),
                           [&](std::size_t j) { return !row[j]; });
      }));
  out.penalty = fit.penalty;
  const OutOfFoldScores scores = out_of_fold(table, before);
  const auto old_auc = auc(scores.before, scores.good), new_auc = auc(scores.after, scores.good);
  if (old_auc) out.auc_before = old_auc->value;
  if (new_auc) out.auc_after = new_auc->value;
  out.gain = auc_gain(scores.before, scores.after, scores.good);
  out.formula = with_weights(formula, *rubric.sum, after);
}

}  // namespace

Calibration calibrate(std::span<const Labelled> executions, const Rubric& rubric) {
  Calibration out;
  for (const Labelled& one : executions) ++(one.good ? out.good : out.bad);
  out.separations = separations(executions);
  fit_weights(executions, rubric, out);
  return out;
}

Separates separates(const Separation& separation) {
  if (!separation.auc) return Separates::unknown;
  const auto& [value, interval] = *separation.auc;
  if (interval.low <= 0.5 && interval.high >= 0.5) return Separates::nothing;
  return value >= 0.7 || value <= 0.3 ? Separates::well : Separates::weakly;
}

std::string_view to_string(Separates verdict) {
  switch (verdict) {
    case Separates::unknown: return {};
    case Separates::nothing: return "nothing";
    case Separates::weakly: return "weak";
    case Separates::well: return "tells";
  }
  std::abort();
}

}  // namespace vibe::fitness
