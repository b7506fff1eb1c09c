// Times draws, shuffles and Shapley values on made-up runs, and prints a line `NAME MILLISECONDS`
// for each: for compare_draws.py.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "score/score.h"
#include "statistics/compare.h"
#include "statistics/interval.h"
#include "statistics/pool.h"
#include "timing.h"

namespace {

using namespace vibe;

constexpr int kRounds = 7;
constexpr std::uint32_t kEvals = 200, kRepeats = 5;
constexpr const char* kMultiFactor =
    "(accuracy-test * 0.6 + speed-test * 0.4) * success_pct / (avg_latency * total_cost)";

double random_share(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
}

score::Samples make_run(std::uint32_t evals, std::uint32_t repeats, std::uint64_t seed) {
  score::Samples out;
  std::uint64_t state = seed;
  std::uint32_t sample = 0;
  for (std::uint32_t i = 0; i < evals; ++i) {
    const auto eval = out.eval(i == 0   ? "accuracy-test"
                               : i == 1 ? "speed-test"
                                        : "eval-" + std::to_string(i));
    const double chance = random_share(state);
    for (std::uint32_t repeat = 0; repeat < repeats; ++repeat)
      out.add(eval,
              {.passed = random_share(state) < chance,
               .latency = 0.5 + random_share(state),
               .cost = 0.001 * (1 + random_share(state))},
              {sample++, 0, repeat});
  }
  return out;
}

formula::Program compile(const std::string& text, const score::Samples& samples) {
  formula::Names names;
  for (const auto& eval : samples.evals())
    if (!eval.name.empty()) names.add_eval(eval.name);
  base::Diagnostics out;
  return formula::compile(names, {}, base::whole(base::make_source("formula", text)), out).value();
}

void two_threads(std::size_t parts, const std::function<void(std::size_t)>& part) {
  std::jthread other([&] {
    for (std::size_t i = 1; i < parts; i += 2) part(i);
  });
  for (std::size_t i = 0; i < parts; i += 2) part(i);
}

void time(const char* name, const std::function<void()>& work) {
  const auto times = bench::in_turn(kRounds, {work});
  std::printf("%s %.3f\n", name, 1e3 * times[0].least());
}

}  // namespace

int main() {
  const auto base = make_run(kEvals, kRepeats, 1), candidate = make_run(kEvals, kRepeats, 2);
  const auto multi = compile(kMultiFactor, base);
  const auto ratio = compile("success_pct / total_cost", base);
  const auto value = score::compute(multi, base).value;

  // Of other evals alone, as the peers draw.
  const auto asked = statistics::questions_of(base);
  const auto design = statistics::make_design(base, asked, {});
  const statistics::Answers answers(base, statistics::rows_of(asked));
  const statistics::Redraw redraw(1, design, {&answers});
  const statistics::Study study(multi, 0, design, redraw, {&answers}, {});
  const std::vector<statistics::Wanted> wanted{{&study, statistics::About::other_evals}};
  const auto draw = [&](const statistics::Parallel& parallel) {
    return [&] { statistics::draw(wanted, 10'000, parallel); };
  };
  time("draws", draw(statistics::one_after_the_other));
  time("draws_two_threads", draw(two_threads));
  time("both_intervals", [&] { statistics::estimate(multi, base, {value}, {}, {}); });

  std::vector<statistics::PairedQuestion> questions;
  const auto others = statistics::questions_of(candidate);
  for (std::size_t i = 0; i < asked.size(); ++i) questions.push_back({asked[i], others[i]});
  const statistics::Pairs pairs(base, candidate, questions, {}, 1);
  const statistics::Pool pool(ratio, 0, pairs, {});
  time("label_shuffles", [&] {
    statistics::label_test(pool, 1, statistics::kShuffles, statistics::one_after_the_other);
  });
  time("swaps", [&] {
    statistics::swap_test(pool, 1, statistics::kShuffles, statistics::one_after_the_other);
  });
  time("shapley", [&] { statistics::eval_contributions(pool, 1); });
  time("compare", [&] { statistics::compare(ratio, pairs, {}, {}); });

  const auto large = make_run(10'000, 1, 3);
  const auto of_large = compile("success_pct / total_cost", large);
  const auto score = score::compute(of_large, large).value;
  time("intervals_of_10000", [&] {
    statistics::Settings settings;
    settings.parallel = two_threads;
    statistics::estimate(of_large, large, {score}, {}, settings);
  });
}
