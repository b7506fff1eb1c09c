#include "simulation/world.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "statistics/distributions.h"
#include "statistics/plan.h"

namespace vibe::simulation {

using formula::Column;
using formula::Statistic;
using statistics::About;

namespace {

constexpr std::size_t kChances = 4096;  // different evals in a kind
constexpr double kSpread = 0.1;         // of kinds: how much more or less often they pass

// Costs and latencies are log-normal; deviations of the logarithm between evals, and within one.
constexpr double kCost = 0.01, kCostOfHard = 1;  // a hopeless eval costs e times as much
constexpr double kCostBetween = 0.5, kCostWithin = 0.4;
constexpr double kLatencyBetween = 0.3, kLatencyWithin = 0.4;
constexpr double kStalls = 0.03, kStallFactor = 5, kStallTail = 2.5;  // times a Pareto number

double normal(base::SplitMix64& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// Of e^(deviation * normal).
double mean_of_log_normal(double deviation) { return std::exp(deviation * deviation / 2); }

double mean_stall(const World& world) {
  return world.has_stalls ? 1 - kStalls + kStalls * kStallFactor * kStallTail / (kStallTail - 1)
                          : 1;
}

}  // namespace

Population::Population(const World& world, const Shape& shape) : world_(world), shape_(shape) {
  const double step = std::min(kSpread, (1 - world.passes) / 2);
  for (std::uint32_t kind = 0; kind < shape.kinds; ++kind) {
    if (kind >= 2) {
      kinds_.push_back(kinds_[kind % 2]);
      continue;
    }
    const double passes =
        shape.kinds == 1 ? world.passes : world.passes + (kind == 0 ? step : -step);
    const double sum = (1 - world.alike) / world.alike;
    Kind made;
    for (std::size_t i = 0; i < kChances; ++i) {
      const double place = (static_cast<double>(i) + 0.5) / kChances;
      const double chance = statistics::beta_quantile(place, passes * sum, (1 - passes) * sum);
      made.chances.push_back(chance);
      made.mean.passes += chance / kChances;
      made.mean.cost += std::exp(kCostOfHard * (1 - chance)) / kChances;
    }
    made.mean.cost *= kCost * mean_of_log_normal(kCostBetween) * mean_of_log_normal(kCostWithin);
    made.mean.latency = mean_of_log_normal(kLatencyBetween) * mean_of_log_normal(kLatencyWithin) *
                        mean_stall(world);
    kinds_.push_back(std::move(made));
  }
}

double Population::variance() const {
  double squares = 0;
  for (const double chance : kinds_[0].chances) squares += (chance - mean()) * (chance - mean());
  return squares / kChances;
}

std::vector<std::string> Population::eval_names() const {
  std::vector<std::string> out;
  base::SplitMix64 random(1);
  for (const Question& question : questions(random))
    if (out.empty() || question.eval != out.back()) out.push_back(question.eval);
  return out;
}

Truth Population::draw(std::uint32_t kind, base::SplitMix64& random) const {
  Truth out;
  out.passes = kinds_[kind].chances[random.below(kChances)];
  out.cost = kCost * std::exp(kCostOfHard * (1 - out.passes) + kCostBetween * normal(random)) *
             mean_of_log_normal(kCostWithin);
  out.latency = std::exp(kLatencyBetween * normal(random)) * mean_of_log_normal(kLatencyWithin) *
                mean_stall(world_);
  return out;
}

Questions Population::questions(base::SplitMix64& random) const {
  Questions out;
  const std::uint32_t choices = shape_.most_answers - shape_.least_answers + 1;
  for (std::uint32_t kind = 0; kind < shape_.kinds; ++kind)
    for (std::uint32_t i = 0; i < shape_.of_each; ++i) {
      Question made;
      made.kind = kind;
      made.eval = shape_.are_cases ? "k" + std::to_string(kind + 1)
                  : shape_.kinds == 1
                      ? "e" + std::to_string(i + 1)
                      : "k" + std::to_string(kind + 1) + "-" + std::to_string(i + 1);
      made.row = shape_.are_cases ? i : 0;
      made.answers = shape_.least_answers + i % choices;
      made.truth = draw(kind, random);
      out.push_back(std::move(made));
    }
  return out;
}

Questions Population::changed(const Questions& questions, double failures, double redrawn,
                              base::SplitMix64& random) const {
  Questions out = questions;
  for (Question& question : out) {
    if (random.uniform() < redrawn) question.truth = draw(question.kind, random);
    question.truth.passes = 1 - failures * (1 - question.truth.passes);
  }
  return out;
}

score::Samples Population::answers(const Questions& questions, base::SplitMix64& random) const {
  score::Samples out;
  std::uint32_t number = 0;
  for (const Question& question : questions) {
    const std::uint32_t eval = out.eval(question.eval);
    for (std::uint32_t repeat = 0; repeat < question.answers; ++repeat) {
      score::Sample sample;
      sample.passed = random.uniform() < question.truth.passes;
      sample.cost = question.truth.cost * std::exp(kCostWithin * normal(random)) /
                    mean_of_log_normal(kCostWithin);
      sample.latency = question.truth.latency * std::exp(kLatencyWithin * normal(random)) /
                       mean_of_log_normal(kLatencyWithin) / mean_stall(world_);
      if (world_.has_stalls && random.uniform() < kStalls)
        sample.latency *= kStallFactor * std::pow(1 - random.uniform(), -1 / kStallTail);
      out.add(eval, sample, {number++, question.row, repeat});
    }
  }
  return out;
}

double Population::expected(const formula::Input& input, const Questions& questions, About about,
                            const std::vector<std::string>& named) const {
  if (input.statistic == Statistic::percentile || input.statistic == Statistic::median) {
    const bool is_known = about == About::other_evals && input.column == Column::latency &&
                          !world_.has_stalls && input.over.kind == formula::Selector::Kind::all;
    if (!is_known) return formula::kUndefined;
    const double share = input.statistic == Statistic::median ? 0.5 : input.constant / 100;
    return std::exp(std::hypot(kLatencyBetween, kLatencyWithin) *
                    statistics::normal_quantile(share));
  }
  // That one, or all, of several answers pass; by the chance that one does.
  const auto chance = [&](double passes) {
    return input.statistic == Statistic::pass_at ? 1 - std::pow(1 - passes, input.constant)
                                                 : std::pow(passes, input.constant);
  };
  double sum = 0, answers = 0, of_kind = 0;
  std::uint32_t kind = statistics::kNone;  // that `of_kind` is about
  for (const Question& question : questions) {
    if (!formula::selects(input.over, question.eval, {})) continue;
    const bool is_fixed =
        about == About::rerun ||
        (!shape_.are_cases && std::find(named.begin(), named.end(), question.eval) != named.end());
    const Truth& truth = is_fixed ? question.truth : kinds_[question.kind].mean;
    if (formula::is_by_question(input.statistic)) {
      if (question.kind != kind) {
        kind = question.kind;
        of_kind = 0;
        for (const double passes : kinds_[kind].chances) of_kind += chance(passes) / kChances;
      }
      sum += is_fixed ? chance(truth.passes) : of_kind;
      answers += 1;
      continue;
    }
    const double count = question.answers;
    sum += count * (input.column == Column::passed ? truth.passes
                    : input.column == Column::cost ? truth.cost
                                                   : truth.latency);
    answers += count;
  }
  switch (input.statistic) {
    case Statistic::sum: return sum;
    case Statistic::mean:
    case Statistic::pass_at:
    case Statistic::pass_all: return sum / answers;
    case Statistic::percent: return 100 * sum / answers;
    default: return formula::kUndefined;
  }
}

}  // namespace vibe::simulation
