#include "simulation/experiment.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>

#include "formula/evaluate.h"
#include "formula/program.h"
#include "statistics/compare.h"
#include "statistics/interval.h"

namespace vibe::simulation {

using statistics::About;

namespace {

constexpr std::size_t kDraws = 1'000, kShuffles = 999;

// The last formula is the score, those before it are metrics.
formula::Program compile(const std::vector<Scored>& formulas,
                         const std::vector<std::string>& evals) {
  formula::Names names;
  for (const auto& eval : evals) names.add_eval(eval);
  const auto passage = [](const std::string& name, const std::string& text) {
    return base::whole(base::make_source(name, text));
  };
  std::vector<formula::Definition> metrics;
  for (std::size_t i = 0; i + 1 < formulas.size(); ++i) {
    const std::string name = "m" + std::to_string(i);
    names.add_metric(name);
    metrics.push_back({name, {}, passage(name, formulas[i].formula)});
  }
  base::Diagnostics found;
  auto program = formula::compile(names, metrics, passage("score", formulas.back().formula), found);
  if (program) return *std::move(program);
  std::cerr << base::render(found);
  std::exit(2);
}

// Runs `experiment(number, counts)` for all numbers, in threads, and adds up what they counted.
template <class Counts, class Experiment>
Counts repeat(const Effort& effort, const Counts& none, const Experiment& experiment) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Counts all = none;
  const auto work = [&] {
    Counts mine = none;
    for (std::size_t i = next++; i < effort.experiments; i = next++) experiment(i, mine);
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += mine[i];
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < effort.threads; ++i) threads.emplace_back(work);
  threads.clear();  // waits for them
  return all;
}

// The values of a program's formulas from those of its inputs; none: undefined.
template <class ValueOf>
std::vector<std::optional<double>> evaluate(const formula::Program& program,
                                            const ValueOf& value_of) {
  std::vector<double> inputs;
  for (const auto& input : program.inputs) inputs.push_back(value_of(input));
  const formula::Evaluation evaluation(program, inputs);
  std::vector<std::optional<double>> out;
  for (std::size_t i = 0; i < program.formulas.size(); ++i) {
    const double value = evaluation.value(i);
    out.push_back(std::isnan(value) ? std::nullopt : std::optional(value));
  }
  return out;
}

bool contains(const score::Interval& interval, double truth) {
  const double slack = 1e-9 * std::abs(truth);
  return interval.low <= truth + slack && truth <= interval.high + slack;
}

using Counts = std::vector<std::size_t>;
constexpr std::size_t kCounts = 2;  // shown, covered

// Adds what one run counts: by formula, question, and whether an interval is shown or right.
void measure_run(const Population& population, const formula::Program& program, std::uint64_t seed,
                 Counts& counts) {
  base::SplitMix64 random(seed);
  const auto questions = population.questions(random);
  const auto samples = population.answers(questions, random);
  std::vector<std::string> named;
  for (const auto& input : program.inputs)
    if (input.over.kind == formula::Selector::Kind::eval) named.push_back(input.over.text);
  statistics::Settings settings;
  settings.seed = seed;
  settings.draws = kDraws;
  const auto values =
      evaluate(program, [&](const formula::Input& input) { return samples.measure(input); });
  const auto estimates = statistics::estimate(program, samples, values, {}, settings);
  for (std::size_t about = 0; about < kAbouts.size(); ++about) {
    const auto truths = evaluate(program, [&](const formula::Input& input) {
      return population.expected(input, questions, kAbouts[about], named);
    });
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      const auto& one = estimates[i];
      const auto& interval = kAbouts[about] == About::other_evals ? one.other_evals : one.rerun;
      if (!interval || !truths[i]) continue;
      std::size_t* const of_formula = &counts[(i * kAbouts.size() + about) * kCounts];
      of_formula[0] += 1;
      of_formula[1] += contains(*interval, *truths[i]) ? 1 : 0;
    }
  }
}

statistics::Compared compare(const PairCell& cell, const Population& population,
                             const formula::Program& program, std::uint64_t seed) {
  base::SplitMix64 random(seed);
  const auto questions = population.questions(random);
  const auto changed = population.changed(questions, cell.failures, cell.redrawn, random);
  const auto base = population.answers(questions, random);
  const auto candidate = population.answers(changed, random);
  std::vector<statistics::PairedQuestion> paired;
  const auto of_base = statistics::questions_of(base);
  const auto of_candidate = statistics::questions_of(candidate);
  for (std::size_t i = 0; i < of_base.size(); ++i) paired.push_back({of_base[i], of_candidate[i]});
  statistics::CompareSettings settings;
  settings.draws.seed = seed;
  settings.draws.draws = kDraws;
  settings.shuffles = kShuffles;
  settings.explains = false;
  const statistics::Pairs pairs(base, candidate, paired, {}, seed);
  return statistics::compare(program, pairs, {}, settings);
}

// Different for each cell and each experiment.
std::uint64_t seed_of(std::uint64_t cell, std::size_t number) {
  return base::SplitMix64(cell + number).next();
}

}  // namespace

Coverage measure(const SuiteCell& cell, const World& world, std::uint64_t seed,
                 const Effort& effort) {
  const Population population(world, cell.shape);
  const auto program = compile(cell.formulas, population.eval_names());
  const Counts none(cell.formulas.size() * kAbouts.size() * kCounts);
  const auto counts = repeat(effort, none, [&](std::size_t number, Counts& out) {
    measure_run(population, program, seed_of(seed, number), out);
  });
  Coverage out;
  out.by_formula.resize(cell.formulas.size());
  for (std::size_t i = 0; i < out.by_formula.size(); ++i)
    for (std::size_t about = 0; about < kAbouts.size(); ++about) {
      const std::size_t* const of_formula = &counts[(i * kAbouts.size() + about) * kCounts];
      out.by_formula[i][about] = {of_formula[0], of_formula[1]};
    }
  return out;
}

Verdicts measure(const PairCell& cell, std::uint64_t seed, const Effort& effort) {
  const Population population(cell.world, {1, cell.evals, false, cell.answers, cell.answers});
  const auto program = compile({cell.formula}, population.eval_names());
  const auto counts = repeat(effort, Counts(6), [&](std::size_t number, Counts& out) {
    ++out[0];
    const auto seen = compare(cell, population, program, seed_of(seed, number));
    if (!seen.judgement) return;  // a score is undefined
    using enum statistics::Verdict;
    const auto verdict = seen.judgement->verdict;
    out[1] += statistics::is_worse(verdict) ? 1 : 0;
    out[2] += seen.these_evals->is_shown ? 1 : 0;
    out[3] += verdict == better || verdict == worse ? 1 : 0;
    out[4] += verdict == better || verdict == better_on_these_evals ? 1 : 0;
    out[5] += verdict == better ? 1 : 0;
  });
  return {counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]};
}

}  // namespace vibe::simulation
