// World: invented evals whose true values are known: how likely each is to pass, what its answers
// cost and how long they take; and suites of such evals. Pure: the same numbers for the same seed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "formula/input.h"
#include "score/samples.h"
#include "statistics/draws.h"

namespace vibe::simulation {

// Where evals come from.
struct World {
  double passes;    // mean chance to pass
  double alike;     // correlation of the answers to an eval: 0 independent, 1 always the same
  bool has_stalls;  // 3 % of the answers take 5 times as long, or much longer
};

inline constexpr std::array kWorlds{World{0.5, 0.1, false}, World{0.8, 0.3, false},
                                    World{0.9, 0.9, false}, World{0.95, 0.3, true},
                                    World{0.8, 0.6, true}};

// How a suite is made. Its evals are of one or several kinds; the kinds differ in difficulty.
struct Shape {
  std::uint32_t kinds = 1, of_each = 20;  // evals, or cases of the one eval of a kind
  bool are_cases = false;
  std::uint32_t least_answers = 1, most_answers = 1;  // to a question

  std::uint32_t questions() const { return kinds * of_each; }
};

// What a question's answers are on average, with endlessly many repeats.
struct Truth {
  double passes = 0, cost = 0, latency = 0;
};

struct Question {
  std::string eval;
  std::uint32_t row = 0, kind = 0, answers = 1;
  Truth truth{};
};
using Questions = std::vector<Question>;

class Population {
 public:
  Population(const World& world, const Shape& shape);

  const Shape& shape() const { return shape_; }
  std::vector<std::string> eval_names() const;
  Questions questions(base::SplitMix64& random) const;
  score::Samples answers(const Questions& questions, base::SplitMix64& random) const;

  // A candidate's true values: each eval fails `failures` times as often, and a share of the evals
  // is also as hard as some other eval of its kind.
  Questions changed(const Questions& questions, double failures, double redrawn,
                    base::SplitMix64& random) const;

  // The true value of a formula's input, for such evals in general or for these alone; NaN if it
  // is not known. Evals in `named` stay fixed.
  double expected(const formula::Input& input, const Questions& questions, statistics::About about,
                  const std::vector<std::string>& named) const;

  // Of the chances to pass, over all evals of the first kind.
  double mean() const { return kinds_[0].mean.passes; }
  double variance() const;

 private:
  struct Kind {
    std::vector<double> chances;  // equally likely
    Truth mean{};
  };
  Truth draw(std::uint32_t kind, base::SplitMix64& random) const;

  World world_;
  Shape shape_;
  std::vector<Kind> kinds_;
};

}  // namespace vibe::simulation
