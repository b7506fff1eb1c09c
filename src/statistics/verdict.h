// Verdict: what a comparison says in a word. A difference is shown if both its interval and its
// test say so; on these evals first, and only then on other evals like these. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "score/interval.h"
#include "statistics/exact_test.h"
#include "statistics/interval.h"

namespace vibe::statistics {

enum class Verdict : std::uint8_t {
  better,
  better_on_these_evals,
  worse,
  worse_on_these_evals,
  no_difference_that_matters,
  no_difference_shown,
};
std::string_view to_string(Verdict verdict);
bool is_worse(Verdict verdict);  // on these evals at least

// About these evals, or about others like them.
struct Claim {
  std::optional<score::Interval> interval;  // of the difference
  Test test;
  bool is_shown = false;
  bool is_borderline = false;  // interval and test disagree
};
Claim make_claim(const std::optional<score::Interval>& interval, const Test& test,
                 double difference, double level);

// What counts as a difference; all of them 0 or more.
struct Thresholds {
  std::optional<double> margin;          // smaller ones do not matter
  std::optional<double> min_effect;      // smaller ones count as none
  std::optional<double> superior_by;     // better means: by at least this
  std::optional<double> not_worse_than;  // how much worse the candidate may be
};

struct Judgement {
  Verdict verdict = Verdict::no_difference_shown;
  std::vector<Note> notes;
  // Whether the candidate is not worse than the base by `not_worse_than`; none: cannot tell.
  std::optional<bool> not_worse;
};

// `narrow`: the interval that leaves out 1 - level at either end, about these evals.
Judgement judge(double difference, const Claim& these_evals, const Claim& other_evals,
                const std::optional<score::Interval>& narrow, const Thresholds& thresholds);

}  // namespace vibe::statistics
