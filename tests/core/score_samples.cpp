// A program that uses vibe_core alone: scores four samples by the formula it is given, and prints
// the value with its explanation, or what is wrong with the formula.
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formula/explain.h"
#include "formula/names.h"
#include "formula/program.h"
#include "score/samples.h"
#include "score/score.h"

namespace {

using namespace vibe;

score::Samples four_samples() {
  score::Samples out;
  const auto math = out.eval("math"), greet = out.eval("greet");
  out.add(math, {.passed = true, .latency = 1, .cost = 0.25});
  out.add(math, {.passed = false, .latency = 3, .cost = 0.25});
  out.add(greet, {.passed = true, .latency = 2, .cost = 0.25});
  out.add(greet, {.passed = true, .latency = 2, .cost = 0.25});
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: score_samples FORMULA\n", stderr);
    return 2;
  }
  const score::Samples samples = four_samples();
  formula::Names names;
  for (const auto& eval : samples.evals())
    if (!eval.name.empty()) names.add_eval(eval.name);

  base::Diagnostics problems;
  const auto program = formula::compile(
      names, {}, base::whole(base::make_source("formula", arguments[1])), problems);
  std::fputs(base::render(problems).c_str(), stdout);
  if (!program) return 1;

  const score::Score score = score::compute(*program, samples);
  if (score.value)
    fmt::print("score {}\n{}", *score.value, formula::to_text(score.explanation));
  else
    fmt::print("no score: {}\n", score.error);
  return 0;
}
