// Runs and formulas for tests of statistics.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formula/program.h"
#include "score/score.h"
#include "statistics/interval.h"

namespace vibe::statistics {

inline formula::Program program_of(const std::string& text, const score::Samples& samples) {
  formula::Names names;
  for (const auto& eval : samples.evals())
    if (!eval.name.empty()) names.add_eval(eval.name, eval.tags);
  base::Diagnostics out;
  auto program = formula::compile(names, {}, base::whole(base::make_source("score", text)), out);
  EXPECT_TRUE(program) << base::render(out);
  return *std::move(program);
}

// Evals `e1`, `e2`, … (or without names), each with the same number of answers.
inline score::Samples samples_of(std::span<const int> passed, std::span<const double> costs,
                                 std::size_t answers = 1, bool are_named = true) {
  score::Samples out;
  for (std::size_t i = 0; i < passed.size(); ++i) {
    const std::size_t eval = i / answers;
    const auto number = !are_named && i % answers == 0 ? out.add_unnamed()
                        : are_named                    ? out.eval("e" + std::to_string(eval + 1))
                                    : static_cast<std::uint32_t>(out.evals().size() - 1);
    out.add(number, {.passed = passed[i] != 0, .latency = 1, .cost = costs.empty() ? 0 : costs[i]});
  }
  return out;
}

struct Estimated {
  double score = 0;
  Estimate estimate;
  Details details;
};

inline Estimated estimate_of(const std::string& formula, const score::Samples& samples,
                             const Settings& settings = {},
                             std::optional<double> on_undefined = {}) {
  const auto program = program_of(formula, samples);
  const auto score = score::compute(program, samples);
  std::vector<Details> details;
  auto estimates = estimate(program, samples, {score.value}, on_undefined, settings, &details);
  return {score.value.value_or(formula::kUndefined), std::move(estimates.back()),
          std::move(details.back())};
}

// All notes, those about missing intervals first.
inline std::vector<Note> notes_of(const Estimate& estimate) {
  std::vector<Note> out;
  for (const auto* reason : {&estimate.no_other_evals, &estimate.no_rerun})
    if (*reason && (out.empty() || out[0].kind != (*reason)->kind)) out.push_back(**reason);
  out.insert(out.end(), estimate.notes.begin(), estimate.notes.end());
  return out;
}
inline bool has(const Estimate& estimate, NoteKind kind) {
  const auto notes = notes_of(estimate);
  return std::any_of(notes.begin(), notes.end(),
                     [&](const Note& note) { return note.kind == kind; });
}

}  // namespace vibe::statistics
